//! Fetching the originals of ChaosNLI: made-up archives, from files and from a server of this test.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use judge_uncertainty::formats::checksum::sha256_hex;
use judge_uncertainty::formats::dataset::originals::{FOLDER, FetchError, fetch};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::run;

pub(crate) const ONE: &str = "{\"uid\": \"a\"}\n";
pub(crate) const TWO: &str = "{\"uid\": \"b\"}\n";

pub(crate) fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn whole() -> Vec<u8> {
    archive(&[("chaosNLI_v1.0/README.txt", "read me"), ("chaosNLI_v1.0/one", ONE), ("chaosNLI_v1.0/two", TWO)])
}

/// Fetches the files `one` and `two`.
pub(crate) fn fetch_two(from: &str, out: &Path) -> Result<(), FetchError> {
    let sums = [sha256_hex(ONE.as_bytes()), sha256_hex(TWO.as_bytes())];
    let folder = fetch(from, &[("one", &sums[0]), ("two", &sums[1])], out)?;
    assert_eq!(folder, out.join(FOLDER));
    Ok(())
}

fn fetch_file(content: &[u8], out: &Path) -> Result<(), FetchError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.zip");
    fs::write(&file, content).unwrap();
    fetch_two(file.to_str().unwrap(), out)
}

/// All files below a folder, as paths relative to it.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match path.is_dir() {
            true => found.extend(files(&path).into_iter().map(|inner| format!("{name}/{inner}"))),
            false => found.push(name),
        }
    }
    found.sort();
    found
}

/// Answers one request with `status`, a body and the length that it claims to have; returns the address.
fn serve(status: &'static str, body: Vec<u8>, length: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            request.push(byte[0]);
        }
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
    });
    format!("http://{address}/chaosNLI_v1.0.zip?dl=1")
}

#[test]
fn an_archive_is_fetched_checked_and_unpacked() {
    let body = whole();
    let from_server = tempfile::tempdir().unwrap();
    fetch_two(&serve("200 OK", body.clone(), body.len()), from_server.path()).unwrap();
    let from_file = tempfile::tempdir().unwrap();
    fetch_file(&body, from_file.path()).unwrap();
    for out in [from_server.path(), from_file.path()] {
        assert_eq!(files(out), ["chaosNLI_v1.0/one", "chaosNLI_v1.0/two"]);
        assert_eq!(fs::read_to_string(out.join("chaosNLI_v1.0/two")).unwrap(), TWO);
        // Again, over what is there.
        fetch_file(&body, out).unwrap();
        assert_eq!(files(out).len(), 2);
        // Not over a file of somebody else.
        fs::write(out.join("chaosNLI_v1.0/two"), "mine").unwrap();
        assert!(matches!(fetch_file(&body, out), Err(FetchError::Foreign { file }) if file.ends_with("two")));
        assert_eq!(fs::read_to_string(out.join("chaosNLI_v1.0/two")).unwrap(), "mine");
    }
}

#[test]
fn a_download_that_fails_or_is_cut_leaves_nothing() {
    let out = tempfile::tempdir().unwrap();
    let body = whole();
    let cut = serve("200 OK", body[..body.len() / 2].to_vec(), body.len());
    let gone = serve("404 Not Found", Vec::new(), 0);
    // Nothing listens at a port that was free a moment ago.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for from in [cut, gone, format!("http://{nobody}/a.zip")] {
        let error = fetch_two(&from, out.path()).unwrap_err();
        assert!(matches!(error, FetchError::Download { .. }), "{error}");
        let text = error.to_string();
        assert!(text.starts_with(&format!("{from} can't be downloaded: ")), "{text}");
        assert!(text.contains("https://github.com/easonnie/ChaosNLI") && text.contains("--from"), "{text}");
    }
    assert!(files(out.path()).is_empty());
}

#[test]
fn other_archives_are_refused_and_leave_nothing() {
    let out = tempfile::tempdir().unwrap();
    let refusal = |content: &[u8]| fetch_file(content, out.path()).unwrap_err().to_string();
    let page = refusal(b"<html>Sign in to download</html>");
    assert!(page.contains("is not the whole ChaosNLI archive") && page.contains("by the link at"), "{page}");
    let body = whole();
    let cut = refusal(&body[..body.len() - 30]);
    assert!(cut.contains("is not the whole ChaosNLI archive"), "{cut}");
    let lacking = refusal(&archive(&[("chaosNLI_v1.0/one", ONE)]));
    assert!(lacking.contains("chaosNLI_v1.0/two: "), "{lacking}");
    let changed = refusal(&archive(&[("chaosNLI_v1.0/one", ONE), ("chaosNLI_v1.0/two", "{\"uid\": \"c\"}\n")]));
    assert!(changed.contains("chaosNLI_v1.0/two in it is not the published file (SHA-256 "), "{changed}");
    let absent = fetch_two("no-such.zip", out.path()).unwrap_err().to_string();
    assert!(absent.starts_with("no-such.zip can't be read: "), "{absent}");
    assert!(files(out.path()).is_empty());
}

#[test]
fn paths_that_climb_out_of_the_folder_go_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/out");
    fs::create_dir_all(&out).unwrap();
    let climbing = archive(&[
        ("../climbed", "x"),
        ("chaosNLI_v1.0/../../climbed", "x"),
        ("/tmp/../climbed-absolute", "x"),
        ("chaosNLI_v1.0/one", ONE),
        ("chaosNLI_v1.0/two", TWO),
    ]);
    fetch_file(&climbing, &out).unwrap();
    assert_eq!(files(folder.path()), ["deep/out/chaosNLI_v1.0/one", "deep/out/chaosNLI_v1.0/two"]);
    // A name that only leads to the place of an original is not that original.
    let disguised = archive(&[("chaosNLI_v1.0/x/../one", ONE), ("chaosNLI_v1.0/two", TWO)]);
    assert!(matches!(fetch_file(&disguised, &out), Err(FetchError::Archive { .. })));
}

#[test]
fn the_command_says_what_to_download_from_where() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    // The discard service of this machine, which nobody offers.
    let (_, stderr) = run(&["data", "fetch", "chaosnli", "--from", "http://127.0.0.1:9/x.zip", "--out", folder], 1);
    assert!(
        stderr.contains("chaosNLI_v1.0.zip") && stderr.contains("https://github.com/easonnie/ChaosNLI"),
        "{stderr}"
    );
    let file = out.path().join("made-up.zip");
    fs::write(&file, archive(&[("chaosNLI_v1.0/chaosNLI_snli.jsonl", "{}")])).unwrap();
    let (_, stderr) = run(&["data", "fetch", "chaosnli", "--from", file.to_str().unwrap(), "--out", folder], 2);
    // The sum of "{}" is from coreutils' sha256sum.
    let found = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    assert!(stderr.contains(found) && stderr.contains("99f9015d"), "{stderr}");
    assert_eq!(files(out.path()), ["made-up.zip"]);
}
