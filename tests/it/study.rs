//! What a study reads, and what it refuses with place, value and remedy.

use std::fs;

use judge_uncertainty::belief::{BeliefModel, Feature};
use judge_uncertainty::study::input::config::{FileFormat, StudyFile};
use judge_uncertainty::study::{Decomposition, FitReport, InputReport, Study};
use judge_uncertainty::system::progress::Silent;
use tempfile::TempDir;

const CONFIG: &str = "title = \"t\"\nclasses = [\"yes\", \"no\"]\n\n[items]\nfile = \"items.csv\"\n\n[judge]\nfile = \
                      \"judge.csv\"\nkind = \"probabilities\"\n\n[labels]\nfile = \"labels.csv\"\nform = \"counts\"\n";
const ITEMS: &str = "id,text,length,topic\na,One,1,x\nb,Two,2,y\nc,\"Three, or\nfour\",,x\n";
const JUDGE: &str = "id,p_yes,p_no\na,0.5,0.5\nb,1,0\nc,0.25,0.75\n";
const LABELS: &str = "id,n_yes,n_no\na,2,1\nb,0,1\n";

/// A study's folder.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in [("study.toml", CONFIG), ("items.csv", ITEMS), ("judge.csv", JUDGE), ("labels.csv", LABELS)]
        {
            folder.put(name, text);
        }
        folder
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    /// Replaces `from`, which stands there once, in a file.
    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.0.path().join(name)).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from:?} in {name}");
        self.put(name, text.replace(from, to));
    }

    fn load(&self) -> Result<Study, String> {
        Study::load(self.0.path()).map_err(|error| {
            // Paths differ from run to run.
            error.to_string().replace(&format!("{}/", self.0.path().display()), "")
        })
    }
}

fn edited(name: &str, from: &str, to: &str) -> Folder {
    let folder = Folder::new();
    folder.edit(name, from, to);
    folder
}

#[test]
fn a_study_that_names_no_belief_lets_the_labels_choose() {
    let auto = BeliefModel::Auto;
    for (trust, belief) in [
        ("", auto),
        ("[trust]\nprior = \"weak\"\n", auto),
        ("[trust]\nprior = \"none\"\n", BeliefModel::Published),
        ("[trust]\nprior = \"none\"\nbelief = \"auto\"\n", auto),
        ("[trust]\nbelief = \"published\"\n", BeliefModel::Published),
    ] {
        let folder = Folder::new();
        folder.put("study.toml", CONFIG.to_owned() + trust);
        let study = folder.load().unwrap();
        assert_eq!(study.file.config.trust.belief(), belief, "{trust}");
        let named = if belief == auto { "auto" } else { "published" };
        assert_eq!(study.file.config.flattened()["trust.belief"], named, "{trust}");
    }
}

#[test]
fn a_small_study_is_read_as_it_stands() {
    let folder =
        edited("study.toml", "[items]\n", "[items]\ntext = \"<{text}>\"\ngroup = \"topic\"\nnumbers = [\"length\"]\n");
    let study = folder.load().unwrap();
    assert_eq!(study.items.ids.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(study.items.texts.as_ref().unwrap()[2], "<Three, or\nfour>");
    assert_eq!(study.items.groups.as_ref().unwrap().iter().collect::<Vec<_>>(), ["x", "y", "x"]);
    assert_eq!(*study.items.columns[0].feature.values, [Some(1.0), Some(2.0), None]);
    assert_eq!(study.numbers(), [3, 1, 0]);
    assert_eq!(study.features, [Feature::Column(0)]);
    // By hand: (1, 0) raised to (1, 0.005) and divided by 1.005.
    assert_eq!(study.judge.predictions.row(1).to_vec(), [1.0 / 1.005, 0.005 / 1.005]);
    let report = InputReport::new(&study);
    let judge = report.judge.of_classes();
    assert_eq!((judge.answers, judge.floored_items, judge.tied_items), (3, 1, 1));
    assert_eq!((report.labels.number(), report.labels.labelled_items, report.labels.most_labels), (4, 2, 3));
    assert_eq!(report.evaluated_items, None);
}

/// Six decimals each leave a sum of 1.000001, two decimals of three classes one of 1.01; 1.02 of two is no rounding.
#[test]
fn rounded_probabilities_are_scaled_and_counted() {
    for (row, sums_to_one) in [("b,0.333334,0.666667", true), ("b,0.67,0.34", true), ("b,0.68,0.34", false)] {
        let read = edited("judge.csv", "b,1,0", row).load();
        match read {
            Ok(study) => {
                assert!(sums_to_one, "{row}");
                assert_eq!(InputReport::new(&study).judge.of_classes().renormalised_answers, 1, "{row}");
            }
            Err(error) => assert!(!sums_to_one && error.contains("sum to 1.02"), "{row}: {error}"),
        }
    }
}

/// Counts of 3e9 overflowed as they were summed, and 4294967290 with 10 became 4 labels.
#[test]
fn numbers_of_labels_beyond_reason_are_refused() {
    for (row, told) in [
        ("a,3000000000,3000000000", "(column \"n_yes\", item \"a\"): 3000000000 is outside the range"),
        ("a,10,4294967290", "(column \"n_no\", item \"a\"): 4294967290 is outside the range"),
        ("a,1000000,1", "its counts are 1000001 labels in all, and an item may have 1000000"),
    ] {
        let error = edited("labels.csv", "a,2,1", row).load().map(|_| ()).unwrap_err();
        assert!(error.contains("labels.csv:2") && error.contains(told), "{error}");
    }
    assert!(edited("labels.csv", "a,2,1", "a,999999,1").load().is_ok());
}

#[test]
fn every_refusal_names_place_value_and_remedy() {
    let cases = [
        // study.toml
        ("study.toml", "[items]", "[item]", "study.toml:4:2: unknown field `item`, expected one of"),
        ("study.toml", "title = \"t\"", "title = \"t\"\ncolour = 1", "study.toml:2:1: unknown field `colour`"),
        ("study.toml", "title = \"t\"\n", "", "study.toml:1:1: missing field `title`; see the commented study.toml"),
        ("study.toml", "kind = \"probabilities\"", "kind = \"probs\"", "study.toml:9:8: unknown variant `probs`"),
        (
            "study.toml",
            "[\"yes\", \"no\"]",
            "[\"yes\"]",
            "study.toml:2:1: classes = [\"yes\"]: a label needs a choice; name two",
        ),
        (
            "study.toml",
            "[\"yes\", \"no\"]",
            "[\"yes\", \"yes\"]",
            "study.toml:2:1: classes = \"yes\": appears twice; name it once",
        ),
        (
            "study.toml",
            "[\"yes\", \"no\"]",
            "[\"yes\", \" \"]",
            "study.toml:2:1: classes = [\"yes\", \" \"]: a class is blank",
        ),
        ("study.toml", "title = \"t\"", "title = \" \"", "study.toml:1:1: title = \" \": is blank; name the study"),
        (
            "study.toml",
            "\"counts\"\n",
            "\"counts\"\n[evaluation]\nreplicates = 1\n",
            "study.toml:15:1: evaluation.replicates = 1: is not a number of replicates; choose 0",
        ),
        (
            "study.toml",
            "\"counts\"\n",
            "\"counts\"\n[evaluation]\nbudgets = [0]\n",
            "study.toml:15:1: evaluation.budgets = 0: a budget is a percentage; write whole",
        ),
        (
            "study.toml",
            "\"counts\"\n",
            "\"counts\"\n[evaluation]\nbudgets = [10, 5]\n",
            "study.toml:15:1: evaluation.budgets = [10, 5]: budgets are needed in ascending order",
        ),
        (
            "study.toml",
            "\"counts\"\n",
            "\"counts\"\n[evaluation]\nreveal = [0]\n",
            "study.toml:15:1: evaluation.reveal = [0]: no item would have labels",
        ),
        (
            "study.toml",
            "\"counts\"\n",
            "\"counts\"\n[evaluation]\nleast_labels = 3\n",
            "study.toml:15:1: evaluation.least_labels = 3: is too few to split",
        ),
        (
            "study.toml",
            "\"counts\"\n",
            "\"counts\"\n[trust]\nfeatures = [\"colour\"]\n",
            "study.toml:15:1: trust.features = \"colour\": is not a feature",
        ),
        (
            "study.toml",
            "\"counts\"\n",
            "\"counts\"\n[trust]\nfeatures = [\"spread\"]\n",
            "study.toml:15:1: trust.features = \"spread\": no item has answers under two variants",
        ),
        (
            "study.toml",
            "\"counts\"\n",
            "\"counts\"\n[trust]\nfeatures = [\"nearest_labelled\"]\n",
            "study.toml:15:1: trust.features = \"nearest_labelled\": there is no [familiarity]",
        ),
        (
            "study.toml",
            "\"probabilities\"",
            "\"probabilities\"\nfloor = 0.5",
            "study.toml:10:1: judge.floor = 0.5: is outside the open range",
        ),
        (
            "study.toml",
            "\"probabilities\"",
            "\"probabilities\"\ncolumns = \"p\"",
            "study.toml:10:1: judge.columns = \"p\": does not name the class; write a name with {class}",
        ),
        (
            "study.toml",
            "\"probabilities\"",
            "\"probabilities\"\nconfidence_range = [1, 1]",
            "study.toml:10:1: judge.confidence_range = [1.0, 1.0]: is not a range",
        ),
        (
            "study.toml",
            "form = \"counts\"",
            "form = \"counts\"\nformat = \"lewidi\"",
            "study.toml:13:1: labels.form = \"counts\": has no meaning here",
        ),
        (
            "study.toml",
            "\"yes\", \"no\"",
            "\"yes\", \"n\\u0001o\"",
            "study.toml:2:1: classes = \"n\\u0001o\": has a control character",
        ),
        (
            "study.toml",
            "\"judge.csv\"",
            "\"run/predictions.csv\"",
            "run/predictions.csv: the judge's predictions are not there; correct judge.file, or collect them first: \
             `judge-uncertainty judge run ",
        ),
        ("study.toml", "form = \"counts\"\n", "", "labels.form = \"\": is not given; write form"),
        (
            "study.toml",
            "\"items.csv\"",
            "\"items.csv\"\ntext = \"{question}\"",
            "study.toml:6:1: items.text = \"{question}\": \"question\" is not a column of the items",
        ),
        (
            "study.toml",
            "\"items.csv\"",
            "\"items.csv\"\ntext = \"plain\"",
            "study.toml:6:1: items.text = \"plain\": the template names no column",
        ),
        (
            "study.toml",
            "\"items.csv\"",
            "\"items.csv\"\ncategories = [\"id\", \"topic\", \"topic\"]",
            "study.toml:6:1: items.categories = \"topic\": appears twice",
        ),
        (
            "study.toml",
            "\"items.csv\"",
            "\"items.txt\"",
            "items.txt: format = none: the extension of the file does not say",
        ),
        ("study.toml", "\"items.csv\"", "\"other.csv\"", "cannot read other.csv; check that the file exists"),
        // items
        (
            "items.csv",
            "b,Two",
            "a,Two",
            "items.csv:3:1 (column \"id\", item \"a\"): the id \"a\" appears twice, first in line 2; keep one row",
        ),
        ("items.csv", "b,Two", ",Two", "items.csv:3:1 (column \"id\"): the cell is blank (\"\"); fill the cell in"),
        (
            "items.csv",
            "b,Two,2,y",
            "b,Two,2",
            "items.csv:3 (item \"b\"): 3 columns where the header has 4: \"b,Two,2\"",
        ),
        (
            "items.csv",
            "id,text",
            "uid,text",
            "items.csv:1: the header has no column \"id\"; the table needs the column id, and has ",
        ),
        // judge
        (
            "judge.csv",
            "b,1,0\n",
            "",
            "judge.csv (item \"b\"): 1 of 3 items have no answer of the judge; add their answers",
        ),
        (
            "judge.csv",
            "b,1,0",
            "B ,1,0",
            "judge.csv:3:1 (column \"id\", item \"B \"): the id \"B \" is unknown: items.csv has \"b\"; write \"b\", \
             letter by",
        ),
        (
            "judge.csv",
            "b,1,0",
            "d,1,0",
            "judge.csv:3:1 (column \"id\", item \"d\"): the id \"d\" is unknown: items.csv does not have it",
        ),
        (
            "judge.csv",
            "b,1,0",
            "a,1,0",
            "judge.csv:3:1 (column \"id\", item \"a\"): an answer under the variant \"judge\" appears twice, first in \
             line 2; keep one of the two rows; or, if the judge was asked several ways, name the column that says \
             which, under [judge]: variant = \"COLUMN\"",
        ),
        (
            "judge.csv",
            "b,1,0",
            "b,60,40",
            "judge.csv:3 (item \"b\"): the probabilities sum to 100, more than 1; give probabilities that sum to 1 or \
             less, or declare kind = \"counts\"",
        ),
        (
            "judge.csv",
            "b,1,0",
            "b,-1,2",
            "judge.csv:3:2 (column \"p_yes\", item \"b\"): -1 is outside the range of 0 and more; write",
        ),
        (
            "judge.csv",
            "b,1,0",
            "b,0,0",
            "judge.csv:3 (item \"b\"): the answer [0.0, 0.0] is not a distribution over the 2 classes",
        ),
        (
            "judge.csv",
            "b,1,0",
            "b,1,",
            "judge.csv:3 (item \"b\"): the answer [\"1\", \"\"] is blank for some of its classes",
        ),
        ("judge.csv", "b,1,0", "b,NaN,0", "judge.csv:3:2 (column \"p_yes\", item \"b\"): \"NaN\" is not a number"),
        ("judge.csv", "p_yes", "p_Yes", "judge.csv:1: the header has no column \"p_yes\""),
        // labels
        (
            "labels.csv",
            "b,0,1",
            "b,0,-1",
            "labels.csv:3:3 (column \"n_no\", item \"b\"): \"-1\" is not a count; write a whole number",
        ),
        ("labels.csv", "b,0,1", "b,0,1.5", "labels.csv:3:3 (column \"n_no\", item \"b\"): \"1.5\" is not a count"),
        ("labels.csv", "b,0,1", "z,0,1", "labels.csv:3:1 (column \"id\", item \"z\"): the id \"z\" is unknown"),
        (
            "labels.csv",
            "b,0,1",
            "a,0,1",
            "labels.csv:3:1 (column \"id\", item \"a\"): a row of counts appears twice, first in line 2",
        ),
    ];
    for (name, from, to, expected) in cases {
        let error = edited(name, from, to).load().unwrap_err();
        assert!(error.contains(expected) && error.contains("; "), "{to:?}:\n{error}\n{expected}");
    }
}

/// With a prior there is a first look and a first queue; the likelihood alone has nothing to say.
#[test]
fn maximum_likelihood_needs_a_label() {
    let folder = edited("labels.csv", "a,2,1\nb,0,1", "a,,\nb,0,0");
    assert!(folder.load().unwrap().has_no_labels());
    folder.edit("study.toml", "form = \"counts\"\n", "form = \"counts\"\n\n[trust]\nprior = \"none\"\n");
    let error = folder.load().unwrap_err();
    let expected = "labels.csv: no item has a label, so there is nothing to learn the trust from; collect labels";
    assert!(error.contains(expected) && error.contains("prior = \"weak\""), "{error}");
}

/// Distances to labelled items go where nothing is labelled; a user's column stays, whatever its name ends in.
#[test]
fn a_column_is_not_taken_for_a_distance_because_of_its_name() {
    let folder = edited("labels.csv", "a,2,1\nb,0,1", "a,,\nb,0,0");
    folder.put("items.csv", "id,km_from_nearest_labelled,near\na,0.5,it\nb,3,labelled\nc,,nearest_labelled\n");
    let columns = "[items]\nnumbers = [\"km_from_nearest_labelled\"]\ncategories = [\"near\"]\n";
    folder.edit("study.toml", "[items]\n", columns);
    let study = folder.load().unwrap();
    let names = ["km_from_nearest_labelled", "near=labelled", "near=nearest_labelled"];
    let missing: Vec<_> = InputReport::new(&study).features.into_iter().map(|f| (f.feature, f.missing)).collect();
    assert_eq!(
        missing,
        [1, 0, 0].map(Some).into_iter().zip(names).map(|(n, name)| (name.to_owned(), n)).collect::<Vec<_>>()
    );
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let coefficients = FitReport::new(&study, &decomposition).unwrap().coefficients;
    assert_eq!(coefficients.iter().map(|c| c.feature.as_str()).collect::<Vec<_>>(), names);
}

#[test]
fn thousands_of_classes_are_refused_before_anything_is_read() {
    let classes: Vec<String> = (0..10_000).map(|k| format!("\"c{k}\"")).collect();
    let folder = edited("study.toml", "\"yes\", \"no\"", &classes.join(", "));
    folder.put("items.csv", "");
    let error = folder.load().unwrap_err();
    assert!(
        error.contains("study.toml:2:1: classes = \"[... 10000 classes ...]\": a study has at most 1000 classes"),
        "{error}"
    );
    // With a thousand the default floor leaves room for all of them.
    let folder = edited("study.toml", "\"yes\", \"no\"", &classes[..1000].join(", "));
    let file = StudyFile::read(&folder.0.path().join("study.toml")).unwrap();
    assert_eq!(file.config.floor(), 0.00025);
}

#[test]
fn left_out_items_and_rows_are_counted() {
    let folder = edited("study.toml", "title = \"t\"", "title = \"t\"\nunmatched = \"leave_out\"");
    folder.put("judge.csv", "id,p_yes,p_no\nz,0.5,0.5\nb,1,0\nc,0.25,0.75\n");
    folder.put("labels.csv", "id,n_yes,n_no\na,2,1\nb,0,1\n");
    let study = folder.load().unwrap();
    assert_eq!(study.left_out, ["a"]);
    assert_eq!(study.items.ids.iter().collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!((study.judge.unused()[1], study.labels.unknown_rows), (1, 0));
    assert_eq!(study.numbers(), [1, 0]);
    let warnings = InputReport::new(&study).warnings.join("\n");
    assert!(
        warnings.contains("1 items have no answer of the judge and are left out, with their labels")
            && warnings.contains("1 rows of judge and labels"),
        "{warnings}"
    );
}

/// A confidence of 0.9 is not 0.9 of 100.
#[test]
fn confidences_between_0_and_1_need_a_stated_range() {
    let folder = edited("study.toml", "\"probabilities\"", "\"probabilities\"\nconfidence = \"sure\"");
    let judge = "id,p_yes,p_no,sure\na,0.5,0.5,0.9\nb,1,0,1\nc,0.25,0.75,\n";
    folder.put("judge.csv", judge);
    let error = folder.load().unwrap_err();
    assert!(error.starts_with("judge.csv (column \"sure\"): all confidences are between 0 and 1"), "{error}");
    assert!(error.contains("write confidence_range = [0, 1] under [judge]"), "{error}");
    folder.edit("study.toml", "\"sure\"", "\"sure\"\nconfidence_range = [0, 1]");
    let study = folder.load().unwrap();
    assert_eq!(study.judge.confidence, [Some(90.0), Some(100.0), None]);
    assert_eq!(study.judge.report.of_classes().without_confidence, Some(1));
    folder.edit("study.toml", "[0, 1]", "[0, 100]");
    assert_eq!(folder.load().unwrap().judge.confidence[0], Some(0.9));
    folder.edit("study.toml", "confidence_range = [0, 100]\n", "");
    let study = edited("study.toml", "title = \"t\"", "title = \"t\"\nunmatched = \"leave_out\"");
    study.edit("study.toml", "\"probabilities\"", "\"probabilities\"\nconfidence = \"sure\"");
    study.put("judge.csv", judge.replace("a,0.5,0.5,0.9", "a,,,").replace("b,1,0,1", "b,1,0,40"));
    // Of the items that are left, not of those left out.
    assert_eq!(study.load().unwrap().judge.report.of_classes().without_confidence, Some(1));
}

#[test]
fn several_files_are_one_table() {
    let folder = Folder::new();
    for (name, text) in [("items", ITEMS), ("judge", JUDGE), ("labels", LABELS)] {
        let (header, rows) = text.split_once('\n').unwrap();
        let (first, rest) = rows.split_once('\n').unwrap();
        folder.put(&format!("{name}-1.csv"), format!("{header}\n{first}\n"));
        folder.put(
            &format!("{name}-2.tsv"),
            format!("{header}\n{rest}").replace(',', if name == "judge" { "\t" } else { "," }),
        );
        folder.edit("study.toml", &format!("\"{name}.csv\""), &format!("[\"{name}-1.csv\", \"{name}-2.tsv\"]"));
    }
    let (study, whole) = (folder.load().unwrap(), Folder::new().load().unwrap());
    assert_eq!(study.items.ids, whole.items.ids);
    assert_eq!(study.judge.predictions, whole.judge.predictions);
    assert_eq!(study.labels.counts, whole.labels.counts);
    assert!(study.relative_inputs().contains_key("items-2.tsv"));
    assert_eq!(study.file.config.flattened()["labels.file"], "[\"labels-1.csv\",\"labels-2.tsv\"]");
    folder.edit("judge-2.tsv", "c\t0.25", "c\tx");
    let error = folder.load().unwrap_err();
    assert!(error.starts_with("judge-2.tsv:3:2 (column \"p_yes\", item \"c\"): \"x\" is not a number"), "{error}");
    folder.edit("judge-2.tsv", "p_no", "q_no");
    assert!(folder.load().unwrap_err().starts_with("judge-2.tsv:1: the header has no column \"p_no\""));
    let none = edited("study.toml", "\"items.csv\"", "[]").load().unwrap_err();
    assert!(none.starts_with("study.toml:5:8: the list of files is empty: name one or more"), "{none}");
}

/// Items of a contest without labels beside those with labels.
#[test]
fn a_lewidi_file_without_labels_goes_with_one_that_has_them() {
    let folder = Folder::new();
    folder.put("CSC_dev.json", r#"{"a": {"text": "x", "annotations": {"Ann1": "yes", "Ann2": "no"}}}"#);
    folder.put("CSC_test_clear.json", r#"{"b": {"text": "y"}, "c": {"text": "z", "lang": "en", "annotations": {}}}"#);
    let files = "file = [\"CSC_dev.json\", \"CSC_test_clear.json\"]\nformat = \"lewidi\"";
    folder.edit("study.toml", "file = \"items.csv\"", &format!("{files}\ntext = \"{{text}}\""));
    folder.edit("study.toml", "file = \"labels.csv\"\nform = \"counts\"", files);
    let study = folder.load().unwrap();
    assert_eq!(study.items.ids.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(study.items.texts.as_ref().unwrap(), &["x", "y", "z"]);
    assert_eq!(study.numbers(), [2, 0, 0]);
}

#[test]
fn what_an_evaluation_lacks_is_named_by_item() {
    let folder = Folder::new();
    let lacking = InputReport::new(&folder.load().unwrap()).no_evaluation.unwrap();
    assert_eq!(
        lacking,
        "0 items have 20 labels or more (evaluation.least_labels), where 20 are needed; the study has 3 items in all"
    );
    let ids: Vec<String> = (0..22).map(|i| format!("i{i}")).collect();
    folder.put("items.csv", format!("id\n{}\n", ids.join("\n")));
    folder.put("judge.csv", format!("id,p_yes,p_no\n{},0.5,0.5\n", ids.join(",0.5,0.5\n")));
    folder.put("labels.csv", format!("id,n_yes,n_no\n{},10,10\ni20,19,0\ni21,18,0\n", ids[..18].join(",10,10\n")));
    let lacking = InputReport::new(&folder.load().unwrap()).no_evaluation.unwrap();
    assert!(
        lacking.ends_with("where 20 are needed: 3 more labels would do, on i20 (1 more), i21 (2 more)"),
        "{lacking}"
    );
    folder.put("study.toml", format!("{CONFIG}[evaluation]\nreplicates = 0\n"));
    let lacking = InputReport::new(&folder.load().unwrap()).no_evaluation.unwrap();
    assert_eq!(lacking, "evaluation.replicates = 0 switches it off");
}

#[test]
fn sampled_labels_are_tallied_and_failures_never_become_labels() {
    let folder = edited("study.toml", "\"probabilities\"", "\"labels\"\nvariant = \"model\"");
    // As they are; a map would read them as distributions.
    let toml = fs::read_to_string(folder.0.path().join("study.toml")).unwrap();
    folder.put("study.toml", toml + "[trust]\nbelief = \"published\"\n");
    folder.put("judge.csv", "id,model,label\na,m1,yes\na,m1,yes\na,m1,\na,m1,no\na,m2,no\nb,m1,no\nc,m2,yes\nc,m2,\n");
    let study = folder.load().unwrap();
    assert_eq!(study.judge.variants, ["m1", "m2"]);
    let answers = study.judge.answers.as_ref().unwrap();
    assert_eq!(answers.answers(0).collect::<Vec<_>>(), [[2.0, 1.0], [0.0, 1.0]]);
    assert_eq!((study.judge.report.of_classes().answers, study.judge.unused()[0]), (6, 2));
    // By hand: shares (2/3, 1/3) and (0, 1) have the mean (1/3, 2/3) and the sd 1/3 for both classes.
    assert!((study.judge.spread[0].unwrap() - 1.0 / 3.0).abs() < 1e-15);
    assert_eq!(study.judge.spread[1], None);
    folder.edit("judge.csv", "b,m1,no", "b,m1,maybe");
    let error = folder.load().unwrap_err();
    assert!(
        error.starts_with("judge.csv:7:3 (column \"label\", item \"b\"): \"maybe\" is not one of yes, no"),
        "{error}"
    );
}

#[test]
fn mass_outside_the_classes_is_recorded_and_warned_about() {
    let folder = Folder::new();
    folder.put("judge.csv", "id,p_yes,p_no\na,0.3,0.2\nb,0.9,0.1\nc,,\n");
    folder.edit("study.toml", "title = \"t\"", "title = \"t\"\nunmatched = \"leave_out\"");
    let study = folder.load().unwrap();
    let mass = study.judge.report.of_classes().mass.unwrap();
    assert_eq!((mass.least, mass.mean, mass.warned), (0.5, 0.75, 1));
    assert_eq!((study.judge.report.of_classes().renormalised_answers, study.judge.unused()[0]), (1, 1));
    assert_eq!(study.judge.predictions.row(0).to_vec(), [0.6, 0.4]);
    let warnings = InputReport::new(&study).warnings.join("\n");
    assert!(warnings.contains("1 of the judge's answers put less than 0.9 of their probability"), "{warnings}");
}

#[test]
fn long_labels_keep_their_annotators() {
    let folder = edited("study.toml", "\"counts\"", "\"long\"");
    folder.put("labels.csv", "id,annotator,label\nb,ann,no\na,ben,yes\na,ann,no\na,cy,\n");
    let study = folder.load().unwrap();
    assert_eq!(study.labels.annotators, ["ann", "ben"]);
    let records: Vec<_> = study.labels.rows.iter().map(|one| (one.item, one.annotator, one.value, one.line)).collect();
    assert_eq!(records, [(1, 0, 1.0, 2), (0, 1, 0.0, 3), (0, 0, 1.0, 4)]);
    assert_eq!((study.numbers(), study.labels.report().blank), (vec![2, 1, 0], 1));
    for (from, to, expected) in [
        (
            "a,ann,no",
            "a,ben,no",
            "labels.csv:4:1 (column \"id\", item \"a\"): a label by \"ben\" appears twice, first in line 3",
        ),
        ("a,ann,no", "a,,no", "labels.csv:4:2 (column \"annotator\", item \"a\"): the cell is blank"),
        ("a,ann,no", "a,ann,No", "labels.csv:4:3 (column \"label\", item \"a\"): \"No\" is not one of yes, no"),
    ] {
        let folder = edited("study.toml", "\"counts\"", "\"long\"");
        folder.put("labels.csv", "id,annotator,label\nb,ann,no\na,ben,yes\na,ann,no\na,cy,\n");
        folder.edit("labels.csv", from, to);
        let error = folder.load().unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn json_lines_read_as_tables_do() {
    let of_tables = Folder::new().load().unwrap();
    let folder = Folder::new();
    for name in ["items", "judge", "labels"] {
        folder.edit("study.toml", &format!("{name}.csv"), &format!("{name}.jsonl"));
    }
    folder.put("items.jsonl", "{\"id\": \"a\"}\n{\"id\": \"b\"}\n{\"id\": \"c\"}\n");
    folder.put(
        "judge.jsonl",
        "{\"id\":\"a\",\"p\":{\"yes\":0.5,\"no\":0.5}}\n{\"id\":\"b\",\"p_yes\":1,\"p_no\":0}\n\
         {\"id\":\"c\",\"p\":{\"no\":0.75,\"yes\":0.25}}\n",
    );
    folder
        .put("labels.jsonl", "{\"id\":\"a\",\"n\":{\"yes\":2,\"no\":1}}\n{\"id\":\"b\",\"n\":{\"yes\":0,\"no\":1}}\n");
    let study = folder.load().unwrap();
    assert_eq!(study.judge.predictions, of_tables.judge.predictions);
    assert_eq!(study.labels.counts, of_tables.labels.counts);
    folder.edit("judge.jsonl", "\"p_yes\":1", "\"p_yes\":2");
    let error = folder.load().unwrap_err();
    assert!(error.starts_with("judge.jsonl:2 (item \"b\"): the probabilities sum to 2"), "{error}");
}

#[test]
fn chaosnli_and_lewidi_files_are_read_as_they_are() {
    let folder = Folder::new();
    folder.edit("study.toml", "\"items.csv\"", "\"pool.jsonl\"\nformat = \"chaosnli\"");
    folder.edit("study.toml", "\"labels.csv\"\nform = \"counts\"", "\"pool.jsonl\"\nformat = \"chaosnli\"");
    // ChaosNLI's layout with sentences of our own; classes that nobody chose are absent.
    folder.put(
        "pool.jsonl",
        "{\"uid\": \"a\", \"label_counter\": {\"yes\": 3}, \"label_dist\": [1.0, 0.0], \"example\": {\"premise\": \
         \"P\", \"hypothesis\": \"H\"}}\n{\"uid\": \"b\", \"label_counter\": {\"no\": 1, \"yes\": 2}, \"example\": \
         {\"premise\": \"Q\", \"hypothesis\": \"I\"}}\n{\"uid\": \"c\", \"label_counter\": {\"no\": 3}, \"example\": \
         {\"premise\": \"R\", \"hypothesis\": \"J\"}}\n",
    );
    let study = folder.load().unwrap();
    assert_eq!(study.items.texts.as_ref().unwrap()[1], "Premise: Q\nHypothesis: I");
    assert_eq!(study.labels.counts, ndarray::array![[3, 0], [2, 1], [0, 3]]);
    folder.edit("pool.jsonl", "\"no\": 3", "\"perhaps\": 3");
    let error = folder.load().unwrap_err();
    assert!(
        error.starts_with(
            "pool.jsonl:3 (column \"label_counter_perhaps\", item \"c\"): \"perhaps\" is not one of yes, no"
        ),
        "{error}"
    );

    let folder = Folder::new();
    folder.edit(
        "study.toml",
        "\"items.csv\"",
        "\"CSC_dev.json\"\nformat = \"lewidi\"\ntext = \"{text_context}: {text_response}\"",
    );
    folder.edit("study.toml", "\"labels.csv\"\nform = \"counts\"", "\"CSC_dev.json\"\nformat = \"lewidi\"");
    folder.put(
        "CSC_dev.json",
        "{\"c\": {\"text\": {\"context\": \"C\", \"response\": \"R\"}, \"annotators\": \"Ann1, Ann2\", \
         \"annotations\": {\"Ann1\": \"no\", \" Ann2\": \"yes\"}, \"soft_label\": {\"0\": 0.0}, \"split\": \
         \"dev\"},\n\"a\": {\"text\": {\"context\": \"D\", \"response\": \"S\"}, \"annotations\": {\" Ann2\": \
         \"yes\"}},\n\"b\": {\"text\": {\"context\": \"E\", \"response\": \"T\"}, \"annotations\": {}}}",
    );
    let study = folder.load().unwrap();
    assert_eq!(study.items.ids.iter().collect::<Vec<_>>(), ["c", "a", "b"]);
    assert_eq!(study.items.texts.as_ref().unwrap()[0], "C: R");
    assert_eq!(study.labels.annotators, ["Ann1", "Ann2"]);
    assert_eq!(study.labels.counts, ndarray::array![[1, 1], [1, 0], [0, 0]]);
    folder.edit("CSC_dev.json", "{\" Ann2\": \"yes\"}", "{\" Ann2\": \"yes,no\"}");
    let error = folder.load().unwrap_err();
    assert!(
        error.starts_with("CSC_dev.json:2 (column \"label\", item \"a\"): \"yes,no\" is several labels"),
        "{error}"
    );
    assert_eq!(study.file.config.items.format, Some(FileFormat::LeWiDi));
}

/// VariErrNLI's layout with sentences of our own: each label is a question of its own.
#[test]
fn several_labels_of_an_annotator_become_questions() {
    let folder = Folder::new();
    let multilabel = "\"VEN_dev.json\"\nformat = \"lewidi\"\ntext = \"{text_context} Does {label} apply?\"\nmultilabel \
                      = [\"contradiction\", \"entailment\", \"neutral\"]";
    folder.edit("study.toml", "\"items.csv\"", multilabel);
    folder.edit("study.toml", "\"labels.csv\"\nform = \"counts\"", "\"VEN_dev.json\"\nformat = \"lewidi\"");
    let refused = folder.load().unwrap_err();
    assert!(refused.starts_with("study.toml:2:1: classes = [\"yes\", \"no\"]: every label is a question"), "{refused}");
    folder.edit("study.toml", "[\"yes\", \"no\"]", "[\"0\", \"1\"]");
    folder.put(
        "VEN_dev.json",
        "{\"7\": {\"text\": {\"context\": \"C.\"}, \"annotators\": \"Ann1, Ann2\", \"annotations\": {\"Ann1\": \
         \"entailment\", \" Ann2\": \"entailment,neutral\"}, \"soft_label\": {\"entailment\": {\"0\": 0.0, \"1\": \
         1.0}}}}",
    );
    folder.put("judge.csv", "id,p_0,p_1\n7/contradiction,1,0\n7/entailment,0.25,0.75\n7/neutral,0.9,0.1\n");
    let study = folder.load().unwrap();
    assert_eq!(study.items.ids.iter().collect::<Vec<_>>(), ["7/contradiction", "7/entailment", "7/neutral"]);
    assert_eq!(study.items.texts.as_ref().unwrap()[2], "C. Does neutral apply?");
    assert_eq!(study.labels.counts, ndarray::array![[2, 0], [0, 2], [1, 1]]);
    folder.edit("VEN_dev.json", "entailment,neutral", "entailment,perhaps");
    let error = folder.load().unwrap_err();
    assert!(error.contains("column \"annotations_ Ann2\", item \"7\"): \"perhaps\" is not one of"), "{error}");
}

#[test]
fn categories_become_features_and_the_first_is_the_reference() {
    let folder = edited("study.toml", "\"items.csv\"", "\"items.csv\"\ncategories = [\"topic\"]");
    let study = folder.load().unwrap();
    assert_eq!(study.items.columns.len(), 1);
    let feature = &study.items.columns[0].feature;
    assert_eq!((feature.name(), &feature.values[..]), ("topic=y", &[Some(0.0), Some(1.0), Some(0.0)][..]));
    folder.edit("items.csv", "b,Two,2,y", "b,Two,2,x");
    let error = folder.load().unwrap_err();
    assert!(error.contains("items.categories = \"topic\": the column has 1 different values"), "{error}");
}
