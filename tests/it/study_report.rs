//! What a study's run folder holds for readers: page, tables, figures and the document that includes them.

use std::fs;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use judge_uncertainty::escalation::Budget;
use judge_uncertainty::random::Stream;
use judge_uncertainty::report::figures::Figure;
use judge_uncertainty::report::latex::Templates;
use judge_uncertainty::report::numbers::three;
use judge_uncertainty::report::page::{self, Page};
use judge_uncertainty::report::study::cards::Cards;
use judge_uncertainty::report::study::{bundle as study_bundle, figures, page as study_page};
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::registration::Registration;
use judge_uncertainty::study::results::StudyManifest;
use judge_uncertainty::study::{Decomposition, EvaluationOutcome, Study, StudyResults, evaluate};
use judge_uncertainty::system::progress::Silent;
use judge_uncertainty::system::{OutputFolder, Staged};
use tempfile::TempDir;

use crate::figures::assert_texts_are_whole;
use crate::snapshots::with_settings;
use crate::study_run::{desk, embedded};
use crate::support::{repository, run, skipped};

fn results(study: &Study) -> StudyResults {
    let registration = Registration::load(&study.file.folder()).unwrap();
    let decomposition = Decomposition::new(study, &Silent).unwrap();
    let evaluation = evaluate(study, None, &Silent).unwrap();
    StudyResults::new(study, &decomposition, evaluation, registration.as_ref(), (Amount::DEFAULT, None), &Silent)
        .unwrap()
}

fn cards(study: &Study) -> Cards {
    Cards::new(study, &Decomposition::new(study, &Silent).unwrap(), true, &[])
}

fn with_replicates(mut study: Study, replicates: usize) -> Study {
    study.file.config.evaluation.replicates = replicates;
    study
}

fn recipes() -> Study {
    embedded(&repository("examples/recipes"))
}

fn hold_report(name: &str, study: &Study, expected: &[&str]) {
    let results = results(study);
    let figures = figures(&results).unwrap();
    assert_eq!(names(&figures), expected);
    hold(name, &study_page(&results, &cards(study), &figures).unwrap(), &figures);
}

fn bundle(page: &Page, figures: &[Figure]) -> Staged {
    let templates = Templates::load(Some(&repository("templates"))).unwrap();
    let html = page::PageTemplates::load(Some(&repository("templates"))).unwrap();
    let mut staged = Staged::default();
    study_bundle::write(&templates, &html, page, figures, &mut staged).unwrap();
    staged
}

/// The page without styles, scripts and drawings; of the cards of items, that of the first.
fn shown(html: &str) -> String {
    let mut rest = &html[html.find("<header>").unwrap()..html.find("<script>").unwrap()];
    let mut text = String::new();
    while let Some((before, drawing)) = rest.split_once("<svg") {
        text.push_str(before);
        rest = drawing.split_once("</svg>").unwrap().1;
    }
    text += rest;
    let first = text.find("<li class=\"card\"").unwrap();
    let start = first + text[first..].find("</li>\n").unwrap() + "</li>\n".len();
    let end = start + text[start..].find("<section").unwrap();
    text.replace_range(start..end, "(more items)\n");
    text
}

/// Items of the page: without scripts the first are there, with their reasons; texts stay where they must not leave.
#[test]
fn the_page_shows_items_and_keeps_texts_that_must_not_leave() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    fs::create_dir(&study).unwrap();
    for name in ["items.csv", "judge.csv", "labels.csv", "study.toml"] {
        fs::copy(repository("examples/starter").join(name), study.join(name)).unwrap();
    }
    let path = study.to_str().unwrap();
    run(&["study", "run", path], 0);
    let page = |name: &str| fs::read_to_string(study.join("run").join(name)).unwrap();
    let html = page("report/index.html");
    assert_eq!(html.matches("<li class=\"card\"").count(), 40);
    assert_eq!(html.matches("<circle").count(), 40);
    assert!(html.contains("The kettle boils quickly") && html.contains("no label yet"));
    assert!(html.contains("All 40 items. Each reason") && page("study.tex").contains("\\fitted{tables/first}"));
    run(&["study", "run", path, "--force", "--no-texts"], 0);
    let html = page("report/index.html");
    assert!(!html.contains("kettle") && html.contains("All 40 items, without their texts. Each reason"));
    assert_eq!(html.matches("<li class=\"card\"").count(), 40);
}

/// Holds what a reader sees by snapshots; of the scatter plot, whose dots are many, the words alone.
fn hold(name: &str, page: &Page, figures: &[Figure]) {
    assert_texts_are_whole(figures);
    let staged = bundle(page, figures);
    with_settings(|| {
        assert_snapshot!(format!("{name}-page"), shown(staged.text("report/index.html").unwrap()));
        let mut latex = staged.text("study.tex").unwrap().to_owned();
        for file in staged.names().iter().filter(|file| file.ends_with(".tex") && file.starts_with("tables/")) {
            latex.push_str(&format!("\n{file}\n{}", staged.text(file).unwrap()));
        }
        assert_snapshot!(format!("{name}-latex"), latex);
        for figure in figures {
            let drawn = if figure.name == "components" { figure.alt.clone() } else { figure.svg() };
            assert_snapshot!(format!("{name}-{}", figure.name), drawn);
        }
    });
}

fn names(figures: &[Figure]) -> Vec<&str> {
    figures.iter().map(|figure| figure.name.as_str()).collect()
}

#[test]
fn the_report_of_the_example_of_classes() {
    let study = with_replicates(desk(), 20);
    hold_report("support_desk", &study, &["components", "confidence", "plan", "coefficients", "budget", "advantage"]);
}

#[test]
fn the_report_of_the_example_of_scores() {
    hold_report("recipes", &recipes(), &["components", "plan", "parts", "coefficients", "places"]);
}

/// Where annotators suffice, the page of scores shows what escalation achieves, in the numbers of the results.
#[test]
fn the_report_of_scores_shows_an_evaluation() {
    let mut study = recipes();
    let evaluation = &mut study.file.config.evaluation;
    (evaluation.least_labels, evaluation.reveal, evaluation.replicates) = (4, vec![0, 1, 2], 5);
    let results = results(&study);
    let EvaluationOutcome::Evaluated(evaluation) = &results.evaluation else { panic!("{:?}", results.evaluation) };
    let figures = figures(&results).unwrap();
    assert_eq!(names(&figures)[5..], ["budget", "advantage"]);
    assert_texts_are_whole(&figures);
    assert!(figures[6].csv().contains("the judge's variance") && !figures[6].csv().contains("total uncertainty"));
    let staged = bundle(&study_page(&results, &cards(&study), &figures).unwrap(), &figures);
    let html = staged.text("report/index.html").unwrap();
    let oracle = three(evaluation.oracle[&Budget::HEADLINE].mean);
    assert!(html.contains(&format!("would remove {oracle} on average")), "{html}");
    assert!(!html.contains("Not evaluated"));
    let table = staged.text("tables/escalation.tex").unwrap();
    let info = &evaluation.full.value[&judge_uncertainty::escalation::Rule::Info][&Budget::HEADLINE];
    assert!(table.contains(&format!("({})", three(info.se))), "{table}");
    assert_eq!(table.matches("variance of a label").count(), 1, "{table}");
}

/// The figures say what the results hold: positions read off the data of the figures, against the results themselves.
#[test]
fn figures_show_the_numbers_of_the_results() {
    let results = results(&with_replicates(desk(), 20));
    let figures = figures(&results).unwrap();
    let figure = |name: &str| figures.iter().find(|f| f.name == name).unwrap();
    let EvaluationOutcome::Evaluated(evaluation) = &results.evaluation else { panic!("not evaluated") };
    let csv = |name: &str| figure(name).csv();
    let s = &evaluation.full.value[&judge_uncertainty::escalation::Rule::Info][&Budget::HEADLINE];
    let labels = Budget::HEADLINE.of(evaluation.items);
    let line = format!("1,epistemic part,10% ({labels} labels),{:.6},{:.6},{:.6},", s.mean, s.lo, s.hi);
    let found = csv("budget");
    let found = found.lines().find(|line| line.contains("epistemic part,10%")).unwrap().split(',').collect::<Vec<_>>();
    for (found, wanted) in found.iter().zip(line.split(',')).skip(3).filter(|(_, wanted)| !wanted.is_empty()) {
        assert!((found.parse::<f64>().unwrap() - wanted.parse::<f64>().unwrap()).abs() < 1e-6, "{found} {wanted}");
    }
    assert_eq!(csv("components").lines().filter(|line| line.contains(",all items,")).count(), results.input.items);
    let marked = csv("components").lines().filter(|line| line.contains("escalated by")).count();
    assert_eq!(marked, 2 * Budget::HEADLINE.of(results.input.items));
}

#[test]
fn what_was_not_evaluated_is_not_drawn_and_the_page_says_why() {
    let study = Study::load(&repository("examples/starter")).unwrap();
    let study = with_replicates(study, 20);
    let results = results(&study);
    let figures = figures(&results).unwrap();
    assert_eq!(names(&figures), ["components", "confidence", "plan", "coefficients"]);
    let staged = bundle(&study_page(&results, &cards(&study), &figures).unwrap(), &figures);
    let html = staged.text("report/index.html").unwrap();
    assert!(
        html.contains("Not evaluated: what escalation achieves here")
            && html.contains("the report lacks the error removed")
    );
    assert!(
        !staged.names().iter().any(|name| name.contains("budget") || name.contains("table-")),
        "{:?}",
        staged.names()
    );
}

/// Names that are hard for LaTeX, for fonts and for columns, and a registration, an evaluation and added labels: all
/// that a run folder can hold.
fn hard() -> TempDir {
    const LONG: &str = "a name of a class with many words, so many that it does not fit into any line of a table";
    const CLASSES: [&str; 3] = [LONG, r"50%_of&more\#{x}$y^z~", "矛盾の可能性"];
    let dir = tempfile::tempdir().unwrap();
    let mut stream = Stream::new(31);
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut items = "id,customer_satisfaction_before_the_last_release,$kind_of#thing\n".to_owned();
    let (mut judge, mut labels) = (
        CLASSES.iter().fold("id,confidence".to_owned(), |head, class| head + "," + &quoted(&format!("p_{class}")))
            + "\n",
        "id,annotator,label\n".to_owned(),
    );
    for i in 0..40 {
        let draw: Vec<f64> = (0..3).map(|_| stream.gamma(1.0)).collect();
        let p: Vec<f64> = draw.iter().map(|g| g / draw.iter().sum::<f64>()).collect();
        let q = if i % 2 == 0 { p.clone() } else { vec![0.2, 0.3, 0.5] };
        let kinds = ["plain", "Kraftfahrzeughaftpflichtversicherungsgesellschaft & Sons", "矛盾_100%"];
        items += &format!("i{i},{},{}\n", stream.random(), quoted(kinds[i % 3]));
        judge += &format!("i{i},{},{},{},{}\n", 100.0 * stream.random(), q[0], q[1], 1.0 - q[0] - q[1]);
        let mut counts = [0; 3];
        stream.multinomial(24, &p, &mut counts);
        let given = counts.iter().zip(CLASSES).flat_map(|(n, class)| std::iter::repeat_n(class, *n as usize));
        for (k, class) in given.enumerate() {
            labels += &format!("i{i},a{k},{}\n", quoted(class));
        }
    }
    let config = format!(
        "title = \"100% of_items & their #1 classes\"\nclasses = {CLASSES:?}\n[items]\nfile = \"items.csv\"\nnumbers = \
         [\"customer_satisfaction_before_the_last_release\"]\ncategories = [\"$kind_of#thing\"]\ngroup = \
         \"$kind_of#thing\"\n[judge]\nfile = \"judge.csv\"\nkind = \"probabilities\"\nconfidence = \
         \"confidence\"\n[labels]\nfile = \"labels.csv\"\nform = \"long\"\n[evaluation]\nreplicates = 12\nbudgets = \
         [5, 10, 15, 20, 25, 50]\n"
    );
    let hypotheses: String = ["agreement", "kappa"]
        .iter()
        .map(|finding| format!("[[hypothesis]]\nfinding = \"{finding}\"\nabove = 0.1\n\n"))
        .collect();
    // One label fewer than there will be.
    let hypotheses = format!("labels = 962\n{hypotheses}");
    for (name, text) in [
        ("items.csv", &items),
        ("judge.csv", &judge),
        ("labels.csv", &labels),
        ("study.toml", &config),
        ("hypotheses.toml", &hypotheses),
        (
            "new.csv",
            &format!(
                "id,annotator,label\ni0,new_1,{0}\ni0,new_2,{0}\ni1,new_1,{1}\n",
                quoted(CLASSES[1]),
                quoted(LONG)
            ),
        ),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let folder = dir.path().to_str().unwrap();
    let new = dir.path().join("new.csv");
    run(&["study", "register", folder], 0);
    run(&["study", "labels", "add", new.to_str().unwrap(), folder], 0);
    run(&["study", "run", folder], 0);
    dir
}

#[test]
fn hard_names_reach_every_output_and_break_none() {
    let dir = hard();
    let folder = dir.path().join("run");
    let results = results(&Study::load(dir.path()).unwrap());
    let figures = figures(&results).unwrap();
    let expected = ["components", "coefficients", "budget", "advantage"];
    assert_eq!(names(&figures), expected);
    assert_texts_are_whole(&figures);
    for name in expected {
        for kind in ["svg", "pdf", "csv"] {
            assert!(folder.join(format!("figures/{name}.{kind}")).metadata().unwrap().len() > 100, "{name}.{kind}");
        }
    }
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    for table in ["input", "trust", "groups", "escalation", "registered", "deviations", "movement", "realised"] {
        assert!(text(&format!("tables/{table}.tex")).ends_with("\\end{tabular}\n"), "{table}");
        assert!(text("study.tex").contains(&format!("\\fitted{{tables/{table}}}")), "{table}");
    }
    assert!(text("tables/registered.tex").contains("deviating"));
    assert!(text("tables/deviations.tex").contains("962"), "{}", text("tables/deviations.tex"));
    assert!(text("figures/coefficients.csv").contains("$kind_of#thing=矛盾_100%"));
    let page = text("report/index.html");
    assert!(
        page.contains("What the new labels moved") && page.contains("矛盾") && page.contains("Deviations from the")
    );
}

/// Compiles a run folder's document where LaTeX is installed; nothing may be too wide, undefined or left out.
fn compile(folder: &Path) {
    for _ in 0..2 {
        let arguments = ["-interaction=nonstopmode", "-halt-on-error", "study"];
        let output = Command::new("pdflatex").args(arguments).current_dir(folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
    }
    let log = String::from_utf8_lossy(&fs::read(folder.join("study.log")).unwrap()).into_owned();
    for complaint in
        ["Overfull", "undefined", "multiply defined", "Missing character", "LaTeX Warning", "PDF inclusion"]
    {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(complaint)).collect();
        assert!(lines.is_empty(), "{}: {lines:?}", folder.display());
    }
}

#[test]
fn the_documents_of_studies_compile() {
    if Command::new("pdflatex").arg("--version").output().is_err() {
        skipped("pdflatex is missing, so no study's document was compiled");
        return;
    }
    let dir = hard();
    compile(&dir.path().join("run"));
    let (classes, scores) = (results(&with_replicates(desk(), 20)), results(&recipes()));
    let of = |page: &Page, figures: &[Figure]| {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("run");
        OutputFolder::<StudyManifest>::check(&folder).unwrap().commit(&bundle(page, figures)).unwrap();
        compile(&folder);
    };
    let drawn = figures(&classes).unwrap();
    of(&study_page(&classes, &cards(&desk()), &drawn).unwrap(), &drawn);
    let drawn = figures(&scores).unwrap();
    of(&study_page(&scores, &cards(&recipes()), &drawn).unwrap(), &drawn);
}
