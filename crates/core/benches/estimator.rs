//! How often the estimator's intervals hold the truth, in worlds in which simpler intervals miss, and how often a false
//! sentence would be printed. The last column has their mean width over that of 1.96 standard deviations of the estimate on
//! either side, which is the least that holds. `cargo bench -p judge-uncertainty-core --bench estimator` plays 200 studies a cell (or as
//! many as `-- --studies N` says), `-- check` plays 100 and fails where fewer hold than chance allows (three standard
//! errors below 0.95; in the last world, below 0.85) or a false sentence is said more often than in 5% of studies by as
//! much.
#![expect(clippy::unwrap_used, reason = "a bench ends where a world is not what it was made to be")]

use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::estimator::{Ask, Design, Estimable, Help, Stage};

type Values = Vec<Option<f64>>;

/// A study's answer: its interval, and the truth.
struct Answer {
    found: Estimable,
    truth: f64,
}

type Play = Box<dyn Fn(&mut Stream) -> Answer>;

fn is(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

fn some(values: impl Iterator<Item = f64>) -> Values {
    values.map(Some).collect()
}

/// `number` of `of` at random, in the order of the draws.
fn draw(of: usize, number: usize, stream: &mut Stream) -> Vec<usize> {
    let mut all: Vec<usize> = (0..of).collect();
    for k in 0..number {
        all.swap(k, k + stream.choice((of - k) as u32) as usize);
    }
    all.truncate(number);
    all
}

fn normal_share(stream: &mut Stream, logit: f64, sd: f64) -> f64 {
    1.0 / (1.0 + (-logit - sd * stream.standard_normal()).exp())
}

/// Truths that only an integral gives, by simulation with a fixed seed.
fn by_simulation(of: impl Fn(&mut Stream) -> f64) -> f64 {
    let mut stream = Stream::new(77);
    (0..200_000).map(|_| of(&mut stream)).sum::<f64>() / 200_000.0
}

/// 20 of 100 conversations of 10 rows: agreement over rows like these, the rate over the table, a group against the rest.
fn clusters(what: usize) -> Play {
    let truth = by_simulation(|stream| normal_share(stream, 1.2, 1.5));
    Box::new(move |stream| {
        let rates: Vec<f64> = (0..100).map(|_| normal_share(stream, 1.2, 1.5)).collect();
        let all: Vec<f64> = rates.iter().flat_map(|p| vec![*p; 10]).map(|p| is(stream.random() < p)).collect();
        let chosen = draw(100, if what == 2 { 48 } else { 20 }, stream);
        let rows: Vec<usize> = chosen.iter().flat_map(|c| 10 * c..10 * c + 10).collect();
        let clusters: Vec<usize> = rows.iter().map(|row| row / 10).collect();
        let values = some(rows.iter().map(|&row| all[row]));
        let design = Design::random_of(clusters, 100);
        match what {
            0 => Answer { found: design.estimate(&Ask::share(&values)), truth },
            1 => {
                let truth = all.iter().sum::<f64>() / 1000.0;
                Answer { found: design.estimate(&Ask::share(&values).of_study()), truth }
            }
            // The conversations of a topic against those of three others that are alike.
            _ => {
                let of = |inside: bool| -> Values {
                    rows.iter().map(|&row| Some(all[row]).filter(|_| ((row / 10) % 4 == 0) == inside)).collect()
                };
                let (own, others) = (of(true), of(false));
                Answer { found: design.contrast(&Ask::share(&own).among(4), &Ask::share(&others).among(4)), truth: 0.0 }
            }
        }
    })
}

/// The design with the sizes of all clusters, of which those chosen are labelled.
fn with_sizes(design: Design, all: &[Vec<f64>], chosen: &[usize]) -> Design {
    let labelled: Vec<usize> = chosen.iter().map(|&c| all[c].len()).collect();
    let others = (0..all.len()).filter(|c| !chosen.contains(c)).map(|c| all[c].len());
    design.with_sizes(&labelled, &others.collect::<Vec<_>>())
}

/// 25 of 150 conversations of 1 to 30 rows, the longer the worse: agreement over rows like these, and over the table.
fn unequal_clusters(of_study: bool) -> Play {
    let draw_one = |stream: &mut Stream| {
        let rows = 1 + (30.0 * stream.random().powi(2)) as usize;
        (rows, normal_share(stream, 2.0 - 0.08 * rows as f64, 0.7))
    };
    let mut stream = Stream::new(77);
    let (mut sum, mut rows_of_all) = (0.0, 0.0);
    for _ in 0..200_000 {
        let (rows, share) = draw_one(&mut stream);
        (sum, rows_of_all) = (sum + rows as f64 * share, rows_of_all + rows as f64);
    }
    Box::new(move |stream| {
        let conversation = |_| -> Vec<f64> {
            let (rows, share) = draw_one(stream);
            (0..rows).map(|_| is(stream.random() < share)).collect()
        };
        let all: Vec<Vec<f64>> = (0..150).map(conversation).collect();
        let chosen = draw(150, 25, stream);
        let clusters = chosen.iter().enumerate().flat_map(|(k, &c)| vec![k; all[c].len()]).collect();
        let values = some(chosen.iter().flat_map(|&c| all[c].iter().copied()));
        let design = with_sizes(Design::random_of(clusters, 150), &all, &chosen);
        let over_table = all.iter().flatten().sum::<f64>() / all.iter().map(Vec::len).sum::<usize>() as f64;
        match of_study {
            true => Answer { found: design.estimate(&Ask::share(&values).of_study()), truth: over_table },
            false => Answer { found: design.estimate(&Ask::share(&values)), truth: sum / rows_of_all },
        }
    })
}

/// A judge that picks one of ten answers at random, all equally common among people: the sentence "always X agrees
/// better", of the X that agrees most among the labels, is false. Of a judge that always answers X the difference is 0.
fn constant(always: bool, labels: usize) -> Play {
    Box::new(move |stream| {
        let people: Vec<u32> = (0..labels).map(|_| stream.choice(10)).collect();
        let judge: Vec<u32> = (0..labels).map(|_| if always { 3 } else { stream.choice(10) }).collect();
        let over = |x: u32| -> Values {
            some(people.iter().zip(&judge).map(|(person, judge)| is(person == judge) - is(*person == x)))
        };
        let best = (0..10).max_by_key(|x| people.iter().filter(|person| **person == *x).count()).unwrap();
        let values = over(if always { 3 } else { best });
        let width = if always { 0.0 } else { 1.0 };
        let ask = Ask::mean(&values).within(-width, width).among(10);
        Answer { found: Design::random((0..labels).collect()).estimate(&ask), truth: 0.0 }
    })
}

/// What a judge that passes 99% says of random rows with labels, against the table at 99%: the sentence "the labelled
/// rows are not like the others" is false.
fn like_the_rest(share: f64, labels: usize) -> Play {
    Box::new(move |stream| {
        let judge: Vec<f64> = (0..600).map(|_| is(stream.random() < share)).collect();
        let values = some(draw(600, labels, stream).into_iter().map(|i| judge[i]));
        let design = Design::random_of((0..labels).collect(), 600);
        let truth = judge.iter().sum::<f64>() / 600.0;
        Answer { found: design.estimate(&Ask::share(&values).of_study().at(0.99)), truth }
    })
}

fn extreme(share: f64, labels: usize) -> Play {
    Box::new(move |stream| {
        let values = some((0..labels).map(|_| is(stream.random() < share)));
        Answer { found: Design::random((0..labels).collect()).estimate(&Ask::share(&values)), truth: share }
    })
}

/// A judge that is right with 98.5% and says so: confidence less agreement.
fn confidence(labels: usize) -> Play {
    Box::new(move |stream| {
        let draw = |_| {
            let stated = 0.97 + 0.03 * stream.random();
            (Some(stated - is(stream.random() < stated)), (stated - 1.0, stated))
        };
        let (values, ends): (Values, Vec<(f64, f64)>) = (0..labels).map(draw).unzip();
        let ask = Ask::difference(&values, false).within(-1.0, 1.0).between(&ends);
        Answer { found: Design::random((0..labels).collect()).estimate(&ask), truth: 0.0 }
    })
}

/// A value of mean `share` above and below a median that says nothing.
fn halves(share: f64, labels: usize) -> Play {
    Box::new(move |stream| {
        let drawn: Vec<(f64, bool)> =
            (0..labels).map(|_| (is(stream.random() < share), stream.random() < 0.5)).collect();
        let of = |above: bool| drawn.iter().map(|(y, is)| Some(*y).filter(|_| *is == above)).collect::<Values>();
        let (above, below) = (of(true), of(false));
        let design = Design::random((0..labels).collect());
        Answer { found: design.contrast(&Ask::share(&above), &Ask::share(&below)), truth: 0.0 }
    })
}

/// Agreement beyond chance, by agreement and either's share of one of two answers.
fn beyond_chance(m: &[f64]) -> Option<f64> {
    let chance = m[1] * m[2] + (1.0 - m[1]) * (1.0 - m[2]);
    (chance < 1.0 - 1e-9).then(|| (m[0] - chance) / (1.0 - chance))
}

/// Agreement beyond chance by squared distances, from the means of both squares, the product and both numbers.
fn nearer_than_chance(m: &[f64]) -> Option<f64> {
    let chance = m[0] - 2.0 * m[2] * m[3];
    (chance > 1e-12).then(|| 1.0 - (m[0] - 2.0 * m[1]) / chance)
}

/// The judge's answer and a person's: agreement beyond chance of two classes.
fn kappa(joint: [f64; 4], labels: usize) -> Play {
    let truth = beyond_chance(&[joint[0] + joint[3], joint[2] + joint[3], joint[1] + joint[3]]).unwrap();
    let row = |cell: usize| vec![is(cell == 0 || cell == 3), is(cell > 1), is(cell % 2 == 1)];
    Box::new(move |stream| {
        let cell = |_| {
            let u = stream.random();
            Some(row((0..3).find(|k| u < joint[..=*k].iter().sum()).unwrap_or(3)))
        };
        let rows: Vec<Option<Vec<f64>>> = (0..labels).map(cell).collect();
        let corners: Vec<Vec<f64>> = (0..4).map(row).collect();
        Answer {
            found: Design::random((0..labels).collect()).function(&rows, (&corners, (-1.0, 1.0)), 0.95, beyond_chance),
            truth,
        }
    })
}

/// Labels by chances from .004 to .95 that follow the value.
fn chances(least: f64, most: f64) -> Play {
    Box::new(move |stream| {
        let items = 3000;
        let rates: Vec<f64> = (0..items).map(|_| normal_share(stream, -1.0, 1.5)).collect();
        let all: Vec<f64> = rates.iter().map(|p| is(stream.random() < *p)).collect();
        let chance: Vec<f64> = rates.iter().map(|p| (0.5 * (1.0 - p).powi(3)).clamp(least, most)).collect();
        let chosen: Vec<usize> = (0..items).filter(|&i| stream.random() < chance[i]).collect();
        let stage = Stage::try_unequal(&chosen.iter().map(|&i| Some(chance[i])).collect::<Vec<_>>()).unwrap();
        let stage = stage.with_all_probabilities(chance.iter().copied());
        let design = Design::from_stages((0..chosen.len()).collect(), vec![stage], items).unwrap();
        let values = some(chosen.iter().map(|&i| all[i]));
        let truth = all.iter().sum::<f64>() / items as f64;
        Answer { found: design.estimate(&Ask::share(&values).of_study()), truth }
    })
}

/// The rate over a table of so many rows with the judge's help: the judge is right with `right`.
fn helped(rate: f64, right: f64, (labels, rows): (usize, usize)) -> Play {
    Box::new(move |stream| {
        let all: Vec<f64> = (0..rows).map(|_| is(stream.random() < rate)).collect();
        let judge: Vec<f64> = all.iter().map(|y| if stream.random() < right { *y } else { 1.0 - y }).collect();
        let chosen = draw(rows, labels, stream);
        let values = some(chosen.iter().map(|&i| all[i]));
        let own: Vec<f64> = chosen.iter().map(|&i| judge[i]).collect();
        let design = Design::random_of((0..labels).collect(), rows);
        let ask = Ask::share(&values).of_study().helped(Help::new(&own, &judge));
        Answer { found: design.estimate(&ask), truth: all.iter().sum::<f64>() / rows as f64 }
    })
}

/// One of `groups` groups that are alike, right with 93%, which is the worst in the labels: the sentence "it is worse
/// there" is false.
fn alike(groups: usize, labels: usize) -> Play {
    Box::new(move |stream| {
        let drawn: Vec<(f64, usize)> =
            (0..labels).map(|_| (is(stream.random() < 0.93), stream.choice(groups as u32) as usize)).collect();
        let design = Design::random((0..labels).collect());
        let against = |group: usize| {
            let of = |inside: bool| -> Values {
                drawn.iter().map(|(y, g)| Some(*y).filter(|_| (*g == group) == inside)).collect()
            };
            design.contrast(&Ask::share(&of(true)).among(groups), &Ask::share(&of(false)).among(groups))
        };
        let all = (0..groups).map(against).filter(|found| found.estimate().is_some());
        let worst = all.min_by(|a, b| a.estimate().unwrap().hi.total_cmp(&b.estimate().unwrap().hi));
        Answer { found: worst.unwrap_or(Estimable::not("no group has labels enough")), truth: 0.0 }
    })
}

/// A queue of 50 of 400 items by rank and 30 at random, of which experts answer the easiest 60%; the judge is right on
/// easy items.
fn answered_in_part() -> Play {
    Box::new(move |stream| {
        let easy: Vec<f64> = (0..400).map(|_| stream.random()).collect();
        let all: Vec<f64> = easy.iter().map(|e| is(stream.random() < 0.4 + 0.6 * e)).collect();
        let order = draw(400, 400, stream);
        let stage_of = |items: &[usize]| {
            let mut items = items.to_vec();
            items.sort_by(|&a, &b| easy[b].total_cmp(&easy[a]));
            items.truncate(items.len() * 6 / 10);
            items
        };
        let (ranked, drawn) = (stage_of(&order[..50]), stage_of(&order[50..80]));
        let strata: Vec<Option<usize>> = ranked.iter().map(|_| Some(0)).chain(drawn.iter().map(|_| Some(1))).collect();
        let stage = Stage::try_stratified(&strata, &[50, 350]).unwrap();
        let stage = stage.with_missing(vec![50 - ranked.len(), 30 - drawn.len()]);
        let items: Vec<usize> = ranked.into_iter().chain(drawn).collect();
        let design = Design::from_stages((0..items.len()).collect(), vec![stage], 400).unwrap();
        let values = some(items.iter().map(|&i| all[i]));
        Answer { found: design.estimate(&Ask::share(&values)), truth: 0.7 }
    })
}

/// A queue that takes what is likeliest to be positive and draws a few of the others, after a random pilot.
fn exploring(rare: bool) -> Play {
    let rate = move |stream: &mut Stream| match rare {
        true => (stream.gamma(0.05) / 3.0).min(1.0),
        false => normal_share(stream, -0.5, 1.5),
    };
    let truth = by_simulation(rate);
    Box::new(move |stream| {
        let rates: Vec<f64> = (0..1000).map(|_| rate(stream)).collect();
        let all: Vec<f64> = rates.iter().map(|p| is(stream.random() < *p)).collect();
        let mut rest: Vec<usize> = (100..1000).collect();
        rest.sort_by(|&a, &b| rates[b].total_cmp(&rates[a]));
        let others = rest.split_off(80);
        let drawn: Vec<usize> = draw(others.len(), 40, stream).into_iter().map(|k| others[k]).collect();
        let items: Vec<usize> = (0..100).chain(rest).chain(drawn).collect();
        let one: Vec<Option<usize>> = (0..220).map(|k| (k < 100).then_some(0)).collect();
        let two: Vec<Option<usize>> = (0..220).map(|k| Some(usize::from(k >= 100) + usize::from(k >= 180))).collect();
        let stages =
            vec![Stage::try_stratified(&one, &[1000]).unwrap(), Stage::try_stratified(&two, &[100, 80, 820]).unwrap()];
        let design = Design::from_stages((0..220).collect(), stages, 1000).unwrap();
        Answer { found: design.estimate(&Ask::share(&some(items.iter().map(|&i| all[i])))), truth }
    })
}

/// 20 of 61 conversations, of which one has a third of all rows and the others 10 each: the rate over the table.
fn one_long(sd: f64) -> Play {
    Box::new(move |stream| {
        let conversation = |c: usize| -> Vec<f64> {
            let share = normal_share(stream, 0.8, sd);
            (0..if c == 0 { 300 } else { 10 }).map(|_| is(stream.random() < share)).collect()
        };
        let all: Vec<Vec<f64>> = (0..61).map(conversation).collect();
        let chosen = draw(61, 20, stream);
        let clusters = chosen.iter().enumerate().flat_map(|(k, &c)| vec![k; all[c].len()]).collect();
        let values = some(chosen.iter().flat_map(|&c| all[c].iter().copied()));
        let design = with_sizes(Design::random_of(clusters, 90), &all, &chosen);
        let truth = all.iter().flatten().sum::<f64>() / 900.0;
        Answer { found: design.estimate(&Ask::share(&values).of_study()), truth }
    })
}

/// Two systems of one pass rate with 100 rows each, of which so many together are labelled, and a judge that is right in 90%: the
/// difference of the systems over new rows.
fn systems(rate: f64, labels: usize) -> Play {
    Box::new(move |stream| {
        let people: Vec<f64> = (0..200).map(|_| is(stream.random() < rate)).collect();
        let judge: Vec<f64> = people.iter().map(|y| if stream.random() < 0.9 { *y } else { 1.0 - y }).collect();
        let chosen = draw(200, labels, stream);
        let own: Vec<f64> = chosen.iter().map(|&row| judge[row]).collect();
        let of = |system: usize| -> Values {
            chosen.iter().map(|&row| Some(people[row]).filter(|_| row % 2 == system)).collect()
        };
        let all = |system: usize| judge.iter().skip(system).step_by(2).copied().collect::<Vec<_>>();
        let (values, judged) = ([of(0), of(1)], [all(0), all(1)]);
        let [one, other] = [0, 1].map(|k| Ask::share(&values[k]).of_rows(100).helped(Help::new(&own, &judged[k])));
        Answer { found: Design::random_of((0..labels).collect(), 200).contrast(&one, &other), truth: 0.0 }
    })
}

/// A judge of rows whose answers are known for all of them.
#[derive(Clone, Copy)]
struct Judged {
    /// Clusters, rows of each, and clusters that are labelled.
    clusters: [usize; 3],
    /// The highest answer, 1 or 4; the lowest is 0.
    top: f64,
    /// Share of passes, or of the highest answer that an answer is on average.
    rate: f64,
    /// How often the judge is right in a cluster, at the median, and the standard deviation of its logit over clusters.
    right: (f64, f64),
    /// Share of clusters in which it says the lowest whatever a person says.
    lost: f64,
    /// Whether it errs in passing alone (with ratings one step too high or, in three of ten errors, too low).
    is_lenient: bool,
}

impl Judged {
    /// Answers of a person and of the judge to the rows of a cluster.
    fn cluster(&self, stream: &mut Stream) -> Vec<[f64; 2]> {
        let logit = |p: f64| (p / (1.0 - p)).ln();
        let rate = normal_share(stream, logit(self.rate), if self.clusters[1] > 1 { 1.0 } else { 0.0 });
        let right = normal_share(stream, logit(self.right.0), self.right.1);
        let is_lost = stream.random() < self.lost;
        let mut row = || {
            let person = (0..self.top as usize).map(|_| is(stream.random() < rate)).sum::<f64>();
            let is_right = stream.random() < right || (self.is_lenient && person == self.top);
            let off = if stream.random() < 0.7 { 1.0 } else { -1.0 };
            let judge = match (is_lost, is_right) {
                (true, _) => 0.0,
                (_, true) => person,
                _ if self.top == 1.0 => 1.0 - person,
                _ => (person + off).clamp(0.0, self.top),
            };
            [person, judge]
        };
        (0..self.clusters[1]).map(|_| row()).collect()
    }

    /// The difference over new rows of two systems, of every other row each; the rate over the table; by how much the judge
    /// gives more than people over new rows; in which half of rows it is nearer to them; agreement beyond chance of two answers.
    fn play(self, what: usize) -> Play {
        let mean_of =
            |rows: &[[f64; 2]], of: &dyn Fn(&[f64; 2]) -> f64| rows.iter().map(of).sum::<f64>() / rows.len() as f64;
        let mut stream = Stream::new(77);
        let many: Vec<[f64; 2]> = (0..40_000).flat_map(|_| self.cluster(&mut stream)).collect();
        let bias = mean_of(&many, &|[person, judge]| judge - person);
        let moments = move |[person, judge]: &[f64; 2]| match self.top {
            1.0 => vec![is(person == judge), *person, *judge],
            _ => vec![person * person + judge * judge, person * judge, *person, *judge],
        };
        let beyond: fn(&[f64]) -> Option<f64> = if self.top == 1.0 { beyond_chance } else { nearer_than_chance };
        let all_moments: Vec<f64> =
            (0..moments(&many[0]).len()).map(|k| mean_of(&many, &|row| moments(row)[k])).collect();
        let kappa = beyond(&all_moments);
        Box::new(move |stream| {
            let [clusters, size, labelled] = self.clusters;
            let all: Vec<[f64; 2]> = (0..clusters).flat_map(|_| self.cluster(stream)).collect();
            let rows: Vec<usize> =
                draw(clusters, labelled, stream).into_iter().flat_map(|c| size * c..size * (c + 1)).collect();
            let design = Design::random_of(rows.iter().map(|row| row / size).collect(), clusters);
            let own: Vec<f64> = rows.iter().map(|&row| all[row][1]).collect();
            let of = |inside: &dyn Fn(usize) -> bool, value: &dyn Fn(&[f64; 2]) -> f64| -> Values {
                rows.iter().map(|&row| inside(row).then(|| value(&all[row]))).collect()
            };
            let judged = |inside: &dyn Fn(usize) -> bool| -> Vec<f64> {
                (0..all.len()).filter(|&row| inside(row)).map(|row| all[row][1]).collect()
            };
            let [one, other] = [0, 1].map(|k| of(&|row| row % 2 == k, &|[person, _]| *person));
            let helped = |values, all: &[f64]| -> Ask<'_> {
                Ask::mean(values).within(0.0, self.top).of_rows(all.len()).helped(Help::new(&own, all))
            };
            match what {
                0 => {
                    let [a, b] = [0, 1].map(|k| judged(&|row| row % 2 == k));
                    Answer { found: design.contrast(&helped(&one, &a), &helped(&other, &b)), truth: 0.0 }
                }
                1 => {
                    let values = of(&|_| true, &|[person, _]| *person);
                    let found = design.estimate(&helped(&values, &judged(&|_| true)));
                    Answer { found, truth: mean_of(&all, &|[person, _]| *person) }
                }
                2 => {
                    let values = of(&|_| true, &|[person, judge]| judge - person);
                    let ends: Vec<(f64, f64)> = own.iter().map(|judge| (judge - self.top, *judge)).collect();
                    let ask = Ask::mean(&values).within(-self.top, self.top).between(&ends);
                    Answer { found: design.estimate(&ask), truth: bias }
                }
                3 => {
                    let [one, other] =
                        [0, 1].map(|k| of(&|row| row % 2 == k, &|[person, judge]| -(judge - person).abs()));
                    let [a, b] = [&one, &other].map(|values| Ask::mean(values).within(-self.top, 0.0));
                    Answer { found: design.contrast(&a, &b), truth: 0.0 }
                }
                _ => {
                    let known: Vec<Option<Vec<f64>>> = rows.iter().map(|&row| Some(moments(&all[row]))).collect();
                    let corners =
                        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]].map(|row| moments(&row.map(|x| x * self.top)));
                    Answer {
                        found: design.function(&known, (&corners, (-1.0, 1.0)), 0.95, beyond),
                        truth: kappa.unwrap(),
                    }
                }
            }
        })
    }
}

/// Worlds of judges by name: conversations in which it errs as often, as rarely as can be or all over; a judge that errs in
/// passing alone; ratings.
fn judged() -> Vec<(String, Judged)> {
    let talks =
        Judged { clusters: [100, 10, 20], top: 1.0, rate: 0.6, right: (0.9, 0.5), lost: 0.0, is_lenient: false };
    let single = Judged { clusters: [200, 1, 60], right: (0.9, 0.0), is_lenient: true, ..talks };
    let ratings = Judged { top: 4.0, is_lenient: false, ..single };
    let of = |name: &str, world: Judged| (name.to_owned(), world);
    vec![
        of("20 of 100 conversations", talks),
        of("20 of 100 conversations, a judge that is nearly always right", Judged { right: (0.98, 0.5), ..talks }),
        of("20 of 100 conversations, right in some and not in others", Judged { right: (0.9, 3.0), ..talks }),
        of("20 of 100 conversations, at a loss in 5%", Judged { lost: 0.05, ..talks }),
        of("12 of 100 conversations of 3", Judged { clusters: [100, 3, 12], ..talks }),
        of("a lenient judge, 60 of 200", single),
        of(
            "a lenient judge, 60 of 1000, 10% pass",
            Judged { clusters: [1000, 1, 60], rate: 0.1, right: (0.97, 0.0), ..single },
        ),
        of("ratings, 60 of 200", ratings),
        of("ratings, 24 of 200 near the top", Judged { clusters: [200, 1, 24], rate: 0.9, ..ratings }),
        of("ratings, 60 of 200, at a loss in 3%", Judged { lost: 0.03, ..ratings }),
        of("ratings, 20 of 100 conversations", Judged { top: 4.0, ..talks }),
        of(
            "ratings, 20 of 100 conversations, right in some and not in others",
            Judged { top: 4.0, right: (0.9, 3.0), ..talks },
        ),
        of("ratings, 20 of 100 conversations, at a loss in 5%", Judged { top: 4.0, lost: 0.05, ..talks }),
        of(
            "ratings of 0 to 9, 12 of 60 conversations of 8",
            Judged { clusters: [60, 8, 12], top: 9.0, right: (0.6, 0.5), ..talks },
        ),
        of(
            "ratings of 0 to 9, 12 of 60 conversations of 8, at a loss in 5%",
            Judged { clusters: [60, 8, 12], top: 9.0, right: (0.6, 0.5), lost: 0.05, ..talks },
        ),
    ]
}

fn worlds() -> Vec<(String, Play)> {
    let mut all: Vec<(String, Play)> = vec![
        ("agreement, 20 of 100 conversations x 10".into(), clusters(0)),
        ("rate, 20 of 100 conversations x 10".into(), clusters(1)),
        ("a topic against others, 48 of 100 conversations x 10".into(), clusters(2)),
        ("agreement, 25 of 150 conversations of 1 to 30".into(), unequal_clusters(false)),
        ("rate, 25 of 150 conversations of 1 to 30".into(), unequal_clusters(true)),
        ("random judge of ten answers less the best constant, 100".into(), constant(false, 100)),
        ("a constant judge less that constant, 100".into(), constant(true, 100)),
        ("kappa of a judge that always passes, 100".into(), kappa([0.0, 0.0, 0.15, 0.85], 100)),
        ("labelled rows against all, 99% passed, 60 of 600".into(), like_the_rest(0.99, 60)),
        ("labelled rows against all, 70% passed, 60 of 600".into(), like_the_rest(0.7, 60)),
        ("chances .004 to .95".into(), chances(0.004, 0.95)),
        ("chances .05 to .5".into(), chances(0.05, 0.5)),
        ("kappa, 2% positives, 100".into(), kappa([0.97, 0.01, 0.01, 0.01], 100)),
        ("kappa, 2% positives, 400".into(), kappa([0.97, 0.01, 0.01, 0.01], 400)),
        ("kappa 0, both pass with 85%, 60".into(), kappa([0.0225, 0.1275, 0.1275, 0.7225], 60)),
        ("kappa 0, both pass with 85%, 200".into(), kappa([0.0225, 0.1275, 0.1275, 0.7225], 200)),
        ("kappa .6, even classes, 60".into(), kappa([0.4, 0.1, 0.1, 0.4], 60)),
        ("kappa .6, even classes, 300".into(), kappa([0.4, 0.1, 0.1, 0.4], 300)),
        ("answers from the easiest 60%".into(), answered_in_part()),
        ("exploring queue".into(), exploring(false)),
        ("exploring queue, rare".into(), exploring(true)),
    ];
    for (share, labels) in [(0.985, 60), (0.985, 400), (0.5, 60), (0.8, 200), (0.02, 100)] {
        all.push((format!("share {share}, {labels}"), extreme(share, labels)));
    }
    for labels in [60, 150, 400] {
        all.push((format!("confidence less agreement, {labels}"), confidence(labels)));
    }
    for (share, labels) in [(0.985, 150), (0.985, 400), (0.02, 100), (0.02, 400), (0.3, 150)] {
        all.push((format!("halves alike, {share}, {labels}"), halves(share, labels)));
    }
    for (rate, right, (labels, rows)) in [
        (0.3, 0.9, (60, 600)),
        (0.3, 0.98, (120, 600)),
        (0.05, 0.95, (100, 600)),
        (0.5, 0.6, (60, 600)),
        (0.6, 0.8, (12, 60)),
        (0.6, 0.8, (20, 60)),
    ] {
        all.push((
            format!("rate {rate}, judge right {right}, {labels} of {rows}"),
            helped(rate, right, (labels, rows)),
        ));
    }
    for (groups, labels) in [(10, 300), (40, 1200)] {
        all.push((format!("worst of {groups} groups alike, {labels}"), alike(groups, labels)));
    }
    for (sd, what) in [(1.0, ""), (0.0, ", all alike")] {
        all.push((format!("rate, 20 of 61 conversations, one with a third of the rows{what}"), one_long(sd)));
    }
    for (name, world) in judged() {
        for (k, what) in ["two systems", "rate", "bias", "halves alike in distance"].into_iter().enumerate() {
            all.push((format!("{what}, {name}"), world.play(k)));
        }
        if world.top > 1.0 || world.clusters[1] > 1 {
            all.push((format!("kappa, {name}"), world.play(4)));
        }
    }
    for (rate, labels) in [(0.6, 60), (0.6, 150), (0.6, 200), (0.95, 200)] {
        all.push((format!("two systems that pass {rate}, {labels} of 200 labelled"), systems(rate, labels)));
    }
    all
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let check = arguments.iter().any(|argument| argument == "check");
    let given = arguments.iter().position(|argument| argument == "--studies").and_then(|k| arguments.get(k + 1));
    let studies: usize = given.and_then(|given| given.parse().ok()).unwrap_or(if check { 100 } else { 200 });
    println!("world,studies,estimable,holds,below the truth,above it,mean width,times least");
    let mut missed = vec![];
    for (k, (name, play)) in worlds().into_iter().enumerate() {
        let (mut held, mut not, mut below, mut above, mut width, mut squares) = (0, 0, 0, 0, 0.0, 0.0);
        for study in 0..studies {
            let mut stream = Stream::new((1000 * k + study) as u64);
            let Answer { found, truth } = play(&mut stream);
            match found.estimate() {
                None => not += 1,
                Some(found) => {
                    held += usize::from((found.lo - 1e-9..=found.hi + 1e-9).contains(&truth));
                    below += usize::from(found.hi + 1e-9 < truth);
                    above += usize::from(found.lo - 1e-9 > truth);
                    width += found.hi - found.lo;
                    squares += (found.value - truth).powi(2);
                }
            }
        }
        let said = (studies - not) as f64;
        println!(
            "\"{name}\",{studies},{:.3},{:.3},{:.3},{:.3},{:.3},{:.2}",
            said / studies as f64,
            held as f64 / said,
            below as f64 / said,
            above as f64 / said,
            width / said,
            width / said / (2.0 * 1.96 * (squares / said).sqrt())
        );
        if (held as f64) < 0.95 * said - 3.0 * (0.95 * 0.05 * said).sqrt() {
            missed.push(name);
        }
    }
    assert!(!check || missed.is_empty(), "intervals miss too often in: {missed:?}");
}
