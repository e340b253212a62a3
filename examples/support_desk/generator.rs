//! How the data of this example are made: items, judge and labels, from one seed.
//!
//! A support desk asks how soon a message needs an answer: `now`, `soon` or `whenever`. Messages come from six trades.
//! The judge knows three of them (parcels, banking, phone contracts) and is ignorant of the others (organ building,
//! beekeeping, canal locks), which it does not say: its confidence is the same everywhere. Most labels are on the known
//! trades.
//!
//! 1. Every message is a thing and a situation of its trade. Situations are pressing, ordinary or idle.
//! 2. The experts' distribution p is Dirichlet(6 b) with b that of the situation: pressing (0.75, 0.2, 0.05), ordinary
//!    (0.15, 0.65, 0.2), idle (0.05, 0.25, 0.7).
//! 3. In a known trade the judge predicts, in each of two variants of the prompt, Dirichlet(40 p): it is worth some
//!    forty labels. In an unknown trade it predicts Dirichlet(40 g) with g drawn once per item from Dirichlet(3, 4, 3):
//!    its predictions have nothing to do with the message. Probabilities are rounded to two decimals, the last class
//!    taking the rest. One answer in fifty fails.
//! 4. Stated confidence is 80 to 95 in steps of 5, each as likely.
//! 5. A message of a known trade has labels with probability 0.8, of an unknown one with 0.4. Three in four of those
//!    have 30 labels, the others 1 to 4. Labels are drawn from p.

use judge_uncertainty::random::Stream;

/// Seed of the example.
pub(super) const SEED: u64 = 20261121;

/// How pressing a situation is: the mean of the experts' distributions.
const PRESSING: [f64; 3] = [0.75, 0.2, 0.05];
const ORDINARY: [f64; 3] = [0.15, 0.65, 0.2];
const IDLE: [f64; 3] = [0.05, 0.25, 0.7];

struct Trade {
    name: &'static str,
    known: bool,
    things: [&'static str; 10],
    situations: [(&'static str, [f64; 3]); 4],
}

const TRADES: [Trade; 6] = [
    Trade {
        name: "parcels",
        known: true,
        things: [
            "the parcel with my grandmother's glasses",
            "the box of school books",
            "the parcel you left with a neighbour",
            "my return of two pairs of shoes",
            "the crate of wine",
            "the parcel for our office",
            "the birthday present",
            "the parcel from the pharmacy",
            "the rug I ordered",
            "the spare part for the washing machine",
        ],
        situations: [
            ("The driver is at the wrong address right now with {thing}, and he leaves in ten minutes.", PRESSING),
            ("The tracking page has shown no movement for {thing} since Monday.", ORDINARY),
            ("Could you tell me which paper you would need if {thing} were ever lost?", IDLE),
            ("I would like {thing} to come on Thursday rather than on Friday.", ORDINARY),
        ],
    },
    Trade {
        name: "banking",
        known: true,
        things: [
            "my current account",
            "the joint account",
            "my savings book",
            "the card ending in 4417",
            "our company account",
            "my daughter's account",
            "the credit card",
            "the account abroad",
            "my old student account",
            "the travel card",
        ],
        situations: [
            ("Somebody is taking money from {thing} at this moment and I did not allow it.", PRESSING),
            ("The statement for {thing} lists the same fee twice.", ORDINARY),
            ("Is there a brochure on the history of interest for {thing}?", IDLE),
            ("I need a new code to log in to {thing}.", ORDINARY),
        ],
    },
    Trade {
        name: "phone",
        known: true,
        things: [
            "my phone contract",
            "the family plan",
            "the prepaid number",
            "the business line",
            "my mother's mobile",
            "the second SIM card",
            "the tablet plan",
            "the roaming option",
            "the landline bundle",
            "the student tariff",
        ],
        situations: [
            ("Emergency calls no longer work with {thing} and we are alone in the mountains.", PRESSING),
            ("The bill for {thing} is higher than agreed.", ORDINARY),
            ("Which colours of cards are there for {thing}?", IDLE),
            ("Please move {thing} to my new address next month.", ORDINARY),
        ],
    },
    Trade {
        name: "organs",
        known: false,
        things: [
            "the great division",
            "the swell box",
            "the pedal reeds",
            "the tremulant",
            "the wind chest",
            "the mixture",
            "the tracker action",
            "the bellows",
            "the sixteen-foot bourdon",
            "the stop knobs",
        ],
        situations: [
            ("A cipher on {thing} will not stop, and the funeral begins within the hour.", PRESSING),
            ("Since the heating season began {thing} speaks slowly.", ORDINARY),
            ("Who voiced {thing} before the war, as far as your books say?", IDLE),
            ("We would like {thing} regulated before the autumn recitals.", ORDINARY),
        ],
    },
    Trade {
        name: "bees",
        known: false,
        things: [
            "the hive by the hedge",
            "the nucleus colony",
            "the swarm box",
            "the brood frames",
            "the queen from last year",
            "the top-bar hive",
            "the honey supers",
            "the colony on the heath",
            "the mating hives",
            "the observation hive",
        ],
        situations: [
            ("Robbing has set in at {thing} and it will be lost by this evening.", PRESSING),
            ("There is a sunken, greasy capping here and there in {thing}.", ORDINARY),
            ("Which wood did people use for {thing} a hundred years ago?", IDLE),
            ("When may I feed {thing} after the oxalic treatment?", ORDINARY),
        ],
    },
    Trade {
        name: "locks",
        known: false,
        things: [
            "the lower mitre gate",
            "the paddle gear",
            "the culvert on the towpath side",
            "the balance beam",
            "the tumble bay",
            "the staircase lock",
            "the stop planks",
            "the sill of the middle chamber",
            "the side pond",
            "the guillotine gate",
        ],
        situations: [
            ("A narrowboat hangs on the cill at {thing} and the chamber is still emptying.", PRESSING),
            ("The ratchet at {thing} slips about one time in five.", ORDINARY),
            ("Is there a drawing of {thing} that one could frame?", IDLE),
            ("Weed gathers against {thing} again, as every summer.", ORDINARY),
        ],
    },
];

/// The files of the example, by name.
pub(super) fn files() -> [(&'static str, String); 3] {
    let mut stream = Stream::new(SEED);
    let mut items = String::from("id,trade,text,characters\n");
    let mut judge = String::from("id,variant,p_now,p_soon,p_whenever,confidence\n");
    let mut labels = String::from("id,n_now,n_soon,n_whenever\n");
    let mut number = 0;
    for trade in &TRADES {
        for thing in trade.things {
            for (situation, base) in &trade.situations {
                number += 1;
                let id = format!("m{number:03}");
                let text = situation.replace("{thing}", thing);
                items += &format!("{id},{},\"{text}\",{}\n", trade.name, text.chars().count());
                let p = dirichlet(&mut stream, base.map(|b| 6.0 * b));
                judge += &answers(&mut stream, &id, trade.known, &p);
                labels += &counts(&mut stream, &id, trade.known, &p);
            }
        }
    }
    [("items.csv", items), ("judge.csv", judge), ("labels.csv", labels)]
}

fn dirichlet(stream: &mut Stream, alpha: [f64; 3]) -> [f64; 3] {
    let gamma = alpha.map(|shape| stream.gamma(shape).max(1e-9));
    let sum: f64 = gamma.iter().sum();
    gamma.map(|x| x / sum)
}

fn answers(stream: &mut Stream, id: &str, known: bool, p: &[f64; 3]) -> String {
    let guess = dirichlet(stream, [3.0, 4.0, 3.0]);
    let centre = if known { *p } else { guess };
    let confidence = 80 + 5 * stream.choice(4);
    let mut rows = String::new();
    for variant in ["brief", "reasoned"] {
        let q = dirichlet(stream, centre.map(|c| (40.0 * c).max(0.05)));
        let [now, soon] = [q[0], q[1]].map(|x| (100.0 * x).round() as u32);
        let failed = stream.choice(50) == 0;
        rows += &match failed {
            true => format!("{id},{variant},,,,\n"),
            false => {
                let rest = 100 - (now + soon).min(100);
                let [now, soon, rest] = [now, soon.min(100 - now), rest].map(|percent| f64::from(percent) / 100.0);
                format!("{id},{variant},{now},{soon},{rest},{confidence}\n")
            }
        };
    }
    rows
}

fn counts(stream: &mut Stream, id: &str, known: bool, p: &[f64; 3]) -> String {
    let labelled = stream.random() < if known { 0.8 } else { 0.4 };
    let many = stream.choice(4) > 0;
    let few = 1 + stream.choice(4);
    if !labelled {
        return String::new();
    }
    let mut counts = [0; 3];
    stream.multinomial(if many { 30 } else { few }, p, &mut counts);
    let [now, soon, whenever] = counts;
    format!("{id},{now},{soon},{whenever}\n")
}
