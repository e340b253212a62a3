//! Small files that would take much memory: every command stays within 160 MB, whether it reads or refuses them.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use zip::write::SimpleFileOptions;

use crate::support::note_trials;

/// Kilobytes of memory that a command may take for a file below a megabyte, in `ulimit -d`.
const MOST: u64 = 160 * 1024;

/// Seconds of processor time that it may take, in a build without optimisation on a slow machine; the system ends it then.
const LONGEST: u64 = 60;

fn limited(folder: &Path, arguments: &[&str], most: u64) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("judge-uncertainty");
    let script = format!("ulimit -d {most}; ulimit -t {LONGEST}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(program).args(arguments).current_dir(folder);
    command.env_remove("JUDGE_UNCERTAINTY_LIMITS").env("RAYON_NUM_THREADS", "1").output().unwrap()
}

fn zipped(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(vec![]));
    for (name, content) in members {
        archive.start_file(*name, SimpleFileOptions::default().compression_level(Some(9))).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A workbook of one sheet with these parts.
fn workbook(sheet: Vec<u8>, strings: Vec<u8>, styles: Vec<u8>) -> Vec<u8> {
    let relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let book = format!(
        "<workbook xmlns=\"{main}\" xmlns:r=\"{relation}\"><sheets><sheet name=\"s\" sheetId=\"1\" \
         r:id=\"r1\"/></sheets></workbook>"
    );
    let packages = "http://schemas.openxmlformats.org/package/2006/relationships";
    let top = format!(
        "<Relationships xmlns=\"{packages}\"><Relationship Id=\"r1\" Type=\"{relation}/officeDocument\" \
         Target=\"xl/workbook.xml\"/></Relationships>"
    );
    let relations = format!(
        "<Relationships xmlns=\"{packages}\"><Relationship Id=\"r1\" \
         Type=\"{relation}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
    );
    zipped(&[
        ("[Content_Types].xml", b"<Types/>".to_vec()),
        ("_rels/.rels", top.into()),
        ("xl/workbook.xml", book.into()),
        ("xl/_rels/workbook.xml.rels", relations.into()),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/sharedStrings.xml", strings),
        ("xl/styles.xml", styles),
    ])
}

fn sheet(rows: &str) -> Vec<u8> {
    let head = "<c t=\"str\"><v>id</v></c><c t=\"str\"><v>text</v></c>";
    format!("<worksheet><sheetData><row>{head}</row>{rows}</sheetData></worksheet>").into_bytes()
}

fn strings(items: &str) -> Vec<u8> {
    format!("<sst>{items}</sst>").into_bytes()
}

fn workbooks() -> Vec<(&'static str, Vec<u8>)> {
    let small = || sheet("<row><c><v>1</v></c><c><v>2</v></c></row>");
    let (none, styles) = (strings(""), b"<styleSheet/>".to_vec());
    let formats = format!("<styleSheet><cellXfs>{}</cellXfs></styleSheet>", "<xf numFmtId=\"0\"/>".repeat(2_500_000));
    let wide = format!("<row><c r=\"XFD2\"><v>1</v></c></row>{}", "<row><c r=\"A9\"><v>1</v></c></row>".repeat(9));
    let far: String = (2..300_000).map(|row| format!("<row><c r=\"A{row}\"><v>1</v></c></row>")).collect();
    let far = far.replace("<row><c r=\"A2\"", "<row><c r=\"XFD2\"");
    vec![
        ("cells.xlsx", workbook(sheet(&"<row><c><v>1</v></c></row>".repeat(9_000_000)), none.clone(), styles.clone())),
        (
            "long.xlsx",
            workbook(
                sheet(&format!("<row><c t=\"str\"><v>{}</v></c></row>", "x".repeat(400 << 20))),
                none.clone(),
                styles.clone(),
            ),
        ),
        ("strings.xlsx", workbook(small(), strings(&"<si/>".repeat(16_000_000)), styles.clone())),
        (
            "texts.xlsx",
            workbook(small(), strings(&format!("<si><t>{}</t></si>", "y".repeat(900_000)).repeat(300)), styles.clone()),
        ),
        ("formats.xlsx", workbook(small(), none.clone(), formats.into_bytes())),
        ("wide.xlsx", workbook(sheet(&wide), none.clone(), styles.clone())),
        ("far.xlsx", workbook(sheet(&far), none, styles.clone())),
        ("count.xlsx", workbook(small(), b"<sst uniqueCount=\"2000000000\"><si/></sst>".to_vec(), styles.clone())),
        ("wide-count.xlsx", {
            let text = "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-16\"?><sst uniqueCount = '900000000'><si/></sst>";
            workbook(small(), text.encode_utf16().flat_map(u16::to_le_bytes).collect(), styles)
        }),
    ]
}

fn eval(sample: String) -> Vec<u8> {
    zipped(&[
        ("header.json", b"{\"version\":2,\"status\":\"success\"}".to_vec()),
        ("samples/1.json", sample.into_bytes()),
    ])
}

/// One member that unpacks to zeros, so many times 128 kB, by a frame of zstd that looks back so many powers of two.
fn zstd(blocks: usize, window: u8) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, (window - 10) << 3];
    for k in 1..=blocks {
        let head = (128 << 10 << 3 | 1 << 1 | u32::from(k == blocks)).to_le_bytes();
        frame.extend([head[0], head[1], head[2], b'0']);
    }
    let mut archive = zip::ZipWriter::new(Cursor::new(vec![]));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    archive.start_file("header.json", stored).unwrap();
    archive.write_all(b"{\"version\":2,\"status\":\"success\"}").unwrap();
    archive.start_file("samples/1.json", stored).unwrap();
    archive.write_all(&frame).unwrap();
    let mut bytes = archive.finish().unwrap().into_inner();
    // The method, where the second member and the directory state it.
    for (signature, method) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
        let at = bytes.windows(4).rposition(|window| window == signature).unwrap();
        bytes[at + method] = 93;
    }
    bytes
}

/// So many scores of a sample.
fn scores(many: usize) -> String {
    let score = |k: usize| format!("\"s{k}\":{{\"value\":\"{}\"}}", ["C", "I"][k % 2]);
    (0..many).map(score).collect::<Vec<_>>().join(",")
}

fn archives() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("zeros.eval", zstd(2_500, 23)),
        ("back.eval", zstd(2_500, 27)),
        ("numbers.eval", eval(format!("{{\"id\":\"a\",\"x\":[0{}]}}", ",0".repeat(20_000_000)))),
        ("text.eval", eval(format!("{{\"id\":\"a\",\"x\":\"{}\"}}", "z".repeat(300 << 20)))),
        ("objects.eval", eval(format!("{{\"id\":\"a\",\"x\":[0{}]}}", ",{\"a\":{}}".repeat(5_000_000)))),
        // Each score is a record and a study of its own, with all texts of its sample.
        (
            "scores.eval",
            eval(format!("{{\"id\":1,\"input\":\"{}\",\"scores\":{{{}}}}}", "x".repeat(100_000), scores(8000))),
        ),
        ("asked.eval", {
            let asked = format!(
                "{{\"version\":2,\"status\":\"success\",\"eval\":{{\"scorers\":[{{\"name\":\"s\",\"options\":{{\"rubric\":\"{}\"}}}}]}}}}",
                "w".repeat(500_000)
            );
            let sample = |k: usize| format!("{{\"id\":{k},\"scores\":{{\"s\":{{\"value\":\"C\"}}}}}}").into_bytes();
            let names: Vec<String> = (0..2000).map(|k| format!("samples/{k}.json")).collect();
            let samples = names.iter().enumerate().map(|(k, name)| (name.as_str(), sample(k)));
            zipped(&[("header.json", asked.into_bytes())].into_iter().chain(samples).collect::<Vec<_>>())
        }),
        // Objects of one member have room for more.
        ("many-scores.eval", eval(format!("{{\"id\":1,\"scores\":{{{}}}}}", scores(200_000)))),
        // Every sample has fields of its own, and a table has all of them.
        ("metadata.eval", {
            let fields = |k: usize| (0..1000).map(|j| format!("\"m{}\":1", 1000 * k + j)).collect::<Vec<_>>().join(",");
            let of = |k: usize| {
                format!("{{\"id\":{k},\"metadata\":{{{}}},\"scores\":{{\"s\":{{\"value\":\"C\"}}}}}}", fields(k))
            };
            let names: Vec<String> = (0..150).map(|k| format!("samples/{k}.json")).collect();
            let samples = names.iter().enumerate().map(|(k, name)| (name.as_str(), of(k).into_bytes()));
            zipped(
                &[("header.json", b"{\"version\":2,\"status\":\"success\"}".to_vec())]
                    .into_iter()
                    .chain(samples)
                    .collect::<Vec<_>>(),
            )
        }),
        ("claims.eval", {
            let mut bytes = eval("{}".to_owned());
            let at = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
            bytes[at + 24..at + 28].copy_from_slice(&u32::MAX.to_le_bytes());
            bytes
        }),
    ]
}

/// A Parquet file of one group: its columns as `write` gives them.
fn columns(schema: &str, write: impl Fn(&mut SerializedFileWriter<Vec<u8>>)) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_max_row_group_row_count(Some(1 << 40));
    let mut file = SerializedFileWriter::new(vec![], schema, Arc::new(properties.build())).unwrap();
    write(&mut file);
    file.into_inner().unwrap()
}

fn pages() -> Vec<(&'static str, Vec<u8>)> {
    let repeated = |text: &str, rows: usize| {
        let text = ByteArray::from(text);
        columns("message m { required binary id (UTF8); }", move |file| {
            let mut group = file.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            for _ in 0..rows / 1000 {
                column.typed::<ByteArrayType>().write_batch(&vec![text.clone(); 1000], None, None).unwrap();
            }
            column.close().unwrap();
            group.close().unwrap();
        })
    };
    let list =
        columns("message m { required group x (LIST) { repeated group list { required int64 element; } } }", |file| {
            let mut group = file.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let mut levels = vec![1; 8_000_000];
            levels[0] = 0;
            let (values, defined) = (vec![7; levels.len()], vec![1; levels.len()]);
            column.typed::<Int64Type>().write_batch(&values, Some(&defined), Some(&levels)).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        });
    vec![
        ("dictionary.parquet", repeated(&"d".repeat(900_000), 100_000)),
        ("rows.parquet", repeated("a", 8_000_000)),
        ("list.parquet", list),
    ]
}

fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let own: String = (0..9_000).map(|k| format!("{{\"id\":\"{k}\",\"f{k}\":1}}\n")).collect();
    vec![
        ("fields.jsonl", own.into_bytes()),
        ("short.csv", format!("id\n{}", "a\n".repeat(490_000)).into_bytes()),
        ("ids.csv", (0..130_000).fold("id\n".to_owned(), |text, k| format!("{text}{k}\n")).into_bytes()),
        (
            "columns.csv",
            format!("id{}\n1{}\n", (0..90_000).map(|k| format!(",{k}")).collect::<String>(), ",".repeat(90_000))
                .into_bytes(),
        ),
        ("deep.json", "[".repeat(900_000).into_bytes()),
        ("one-name.csv", format!("{}\n1\n", vec!["x"; 400_000].join(",")).into_bytes()),
        ("people.csv", {
            let people = (0..900).map(|k| format!(",human_{k}")).collect::<String>();
            format!(
                "id,judge{people}\n{}",
                (0..500).map(|k| format!("{k},1{}\n", ",1".repeat(900))).collect::<String>()
            )
            .into_bytes()
        }),
        ("by-row.json", {
            let rows: Vec<String> = (0..40_000).map(|k| format!("\"{k}\":{{\"judge\":{}}}", k % 2)).collect();
            format!("{{{}}}", rows.join(",")).into_bytes()
        }),
        // Each of so many rows has a criterion of its own, and each is asked of all.
        ("criteria.jsonl", {
            let row =
                |k: usize| format!("{{\"id\":\"{k}\",\"input\":\"a\",\"output\":\"b\",\"scores\":{{\"s{k}\":1}}}}\n");
            (0..14_000).map(row).collect::<String>().into_bytes()
        }),
        // Samples of a log are read once.
        (
            "samples.json",
            format!("{{\"samples\":[{}],\"eval\":{{}},\"plan\":{{}}}}", vec!["{\"\":{\"\":{}}}"; 60_000].join(","))
                .into_bytes(),
        ),
        // Scores about one trace, each with all of its texts.
        ("trace.json", {
            let score = |k: usize| {
                format!(
                    "{{\"id\":\"{k}\",\"traceId\":\"t\",\"name\":\"s{k}\",\"dataType\":\"NUMERIC\",\"source\":\"EVAL\",\"value\":1}}"
                )
            };
            let scores = (0..4000).map(score).collect::<Vec<_>>().join(",");
            let trace = format!("{{\"id\":\"t\",\"input\":\"{}\",\"output\":\"b\"}}", "x".repeat(300_000));
            format!("{{\"trace\":{trace},\"observations\":[],\"scores\":[{scores}]}}").into_bytes()
        }),
        ("values.json", format!("[0{}]", ",{}".repeat(300_000)).into_bytes()),
        ("lists.jsonl", format!("{{\"id\":\"a\",\"x\":[0{}]}}\n", ",0".repeat(450_000)).into_bytes()),
    ]
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_file_takes_little_memory_whatever_it_unpacks_to() {
    let folder = tempfile::tempdir().unwrap();
    let study = "title = \"t\"\nclasses = [\"1\", \"2\"]\n[items]\nfile = \"HOSTILE\"\n[judge]\nfile = \
                 \"judge.csv\"\nkind = \"labels\"\nlabel = \"label\"\n";
    let judge = "id,label\n1,1\n";
    fs::write(folder.path().join("judge.csv"), judge).unwrap();
    let started = limited(folder.path(), &["study", "init", "starter"], MOST);
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    let ran = limited(folder.path(), &["study", "run", "starter"], MOST);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let files = [workbooks(), archives(), pages(), texts()].concat();
    for (name, bytes) in &files {
        assert!(bytes.len() < 1_000_000, "{name}: {} bytes", bytes.len());
        fs::write(folder.path().join(name), bytes).unwrap();
        fs::write(folder.path().join("study.toml"), study.replace("HOSTILE", name)).unwrap();
        let commands: [&[&str]; 5] = [
            &["audit", name, "--out", "audited", "--force"],
            &["study", "check", "."],
            &["study", "labels", "add", name, "starter", "--annotator", "a"],
            &["embed", "--items", name, "--text", "{text}", "--model", "none", "--out", "m.npy"],
            &["apply", "starter/run", "--items", name, "--out", "applied", "--force"],
        ];
        for arguments in commands {
            let output = limited(folder.path(), arguments, MOST);
            let told = String::from_utf8_lossy(&output.stderr);
            let told_so = matches!(output.status.code(), Some(0..=2)) && !told.contains("panicked");
            assert!(told_so, "{name}: {arguments:?}: {:?}: {told}", output.status);
            assert!(told.len() < 4000, "{name}: {arguments:?}: {} bytes of message", told.len());
        }
    }
    note_trials("files below 1 MB that unpack to much (5 commands)", 5 * files.len(), "takes more than 160 MB", 0);
}

/// Rows under a header, as many as a file of 989 KB holds.
fn rows(header: &str, row: impl Fn(usize) -> String) -> String {
    let mut text = format!("{header}\n");
    for k in 0.. {
        let row = row(k);
        if text.len() + row.len() > 989_000 {
            break;
        }
        text += &row;
        text.push('\n');
    }
    text
}

/// A workbook and a Parquet file of so many rows with an id, an answer of the judge and of a person.
fn ordinary_files(many: usize, cell: impl Fn(usize, usize) -> String) -> [(&'static str, Vec<u8>); 2] {
    let names = ["id", "judge", "human"];
    let written = |cells: [String; 3]| {
        let cells: String = cells.iter().map(|cell| format!("<c t=\"str\"><v>{cell}</v></c>")).collect();
        format!("<row>{cells}</row>")
    };
    let rows: String = (0..many).map(|k| written([0, 1, 2].map(|column| cell(k, column)))).collect();
    let all = format!("<worksheet><sheetData>{}{rows}</sheetData></worksheet>", written(names.map(str::to_owned)));
    let schema = names.map(|name| format!("required binary {name} (UTF8); ")).concat();
    let parquet = columns(&format!("message m {{ {schema} }}"), |file| {
        let mut group = file.next_row_group().unwrap();
        for k in 0..3 {
            let values: Vec<ByteArray> = (0..many).map(|row| ByteArray::from(cell(row, k).as_str())).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    });
    let book = workbook(all.into_bytes(), strings(""), b"<styleSheet/>".to_vec());
    [("read.xlsx", book), ("read.parquet", parquet)]
}

/// Tables as people have them, of as many rows as fit into a megabyte: audited and run within the bound, or refused at once
/// with what and how.
#[cfg(target_os = "linux")]
#[test]
fn big_tables_are_audited_within_the_bound_or_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let digit = |k: usize, of: usize| (k * 7919 + k / 13) % of;
    let few = |k: usize| if k < 300 { digit(k + 1, 2).to_string() } else { String::new() };
    let tables = [
        (
            "read.csv",
            rows("id,judge,human,text", |k| format!("{k},{},{},some words of a text to read", digit(k, 2), few(k))),
        ),
        (
            "read.jsonl",
            rows("", |k| format!("{{\"id\":\"{k}\",\"judge\":\"{}\",\"human\":\"{}\"}}", digit(k, 2), few(k))),
        ),
        ("read-two.csv", rows("id,judge,human", |k| format!("{k},{},{}", digit(k, 2), digit(k + 1, 2)))),
        ("one-id.csv", rows("id,judge,human", |k| format!("a,{},{}", digit(k, 2), digit(k + 1, 2)))),
        ("ratings.csv", rows("id,score,human", |k| format!("{k},{},{}", 1 + digit(k, 10), 1 + digit(k + 1, 10)))),
        ("read-ratings.csv", {
            let row = |k: usize| format!("{k},{},{},some words", 1 + digit(k, 10), 1 + digit(k + 1, 10));
            rows("id,score,human,text", row)
        }),
        ("read-decimals.csv", {
            let two = |k: usize| format!("{}.{:02}", digit(k, 10), digit(k, 1000) / 10);
            rows("id,score,human", |k| format!("{k},{},{}", two(k), two(k + 1)))
        }),
        ("groups.csv", rows("id,judge,human,domain", |k| format!("{k},{},{},d{}", digit(k, 2), few(k), k % 50))),
        ("ten.csv", rows("judge,human", |k| format!("{},{}", digit(k, 10), digit(k + 1, 10)))),
        ("one.csv", rows("judge", |k| digit(k, 2).to_string())),
    ];
    let tables = tables.into_iter().map(|(name, text)| (name, text.trim_start().as_bytes().to_vec()));
    let files = ordinary_files(40_000, |k, column| match column {
        0 => format!("conversation {k}"),
        1 => ["pass", "fail"][digit(k, 2)].to_owned(),
        _ => if k < 300 { ["pass", "fail"][digit(k + 1, 2)] } else { "" }.to_owned(),
    });
    let tables: Vec<(&str, Vec<u8>)> = tables.chain(files).collect();
    for (name, text) in &tables {
        assert!(text.len() < 1_000_000, "{name}: {} bytes", text.len());
        fs::write(folder.path().join(name), text).unwrap();
        let out = format!("{name}-audited");
        let output = limited(folder.path(), &["audit", name, "--out", &out], MOST);
        let told = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => assert!(name.starts_with("read"), "{name}: {told}"),
            Some(2) => {
                let says = ["rows are too many", "JUDGE_UNCERTAINTY_LIMITS"].iter().all(|words| told.contains(words));
                assert!(says, "{name}: {told}");
            }
            other => panic!("{name}: {other:?}: {told}"),
        }
        if *name == "read.csv" {
            for arguments in [&["study", "check", &out][..], &["study", "run", &out]] {
                let output = limited(folder.path(), arguments, MOST);
                assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
    // A belief is applied to any number of further items.
    let further = rows("id,p_0,p_1", |k| format!("{k},0.{},0.{}", 1 + digit(k, 9), 9 - digit(k, 9)));
    fs::write(folder.path().join("further.csv"), &further).unwrap();
    let belief = ["apply", "read.csv-audited/run", "--items", "further.csv", "--out", "applied", "--top", "1000"];
    let output = limited(folder.path(), &belief, MOST);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    note_trials("big tables below 1 MB", tables.len() + 3, "takes more than 160 MB", 0);
}
