//! Tables of the committed index from somebody who means harm: none is decoded that is not of the
//! form that this program writes, nothing but their own files is opened, and memory holds.

use std::{
    fs,
    io::Read,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use arrow::{
    array::{Array, ArrayRef, DictionaryArray, Int32Array, ListArray, NullArray, StringArray},
    buffer::OffsetBuffer,
    datatypes::{DataType, Field},
};
use elophanto_index::store::{
    matrix::{Encoded, Key},
    tables::{self, TableContent},
};
use elophanto_tables::Lance;
use lance_encoding::format::pb21;
use lance_table::format::pb;
use prost::Message;

use crate::{
    env::{Output, TestEnv, snapshot},
    forge,
};

/// Most bytes that a command may have in memory, whatever the tables hold.
const MOST_MEMORY: u64 = 300 << 20;

/// A repository with a note and its index, all committed.
fn repository() -> TestEnv {
    let env = TestEnv::with(&[("otters.md", "# Otters\n\nOtters hold hands while they sleep.\n")]);
    env.index(&[]);
    env.commit("index");
    env
}

fn index(env: &TestEnv) -> PathBuf {
    env.path(".elophanto/index")
}

fn honest(rows: u16) -> TableContent {
    let row = |number: u16| {
        let mut key: Key = [7; 16];
        key[..2].copy_from_slice(&number.to_le_bytes());
        (key, Encoded::new(&[0.6, 0.8, 0.0, 0.0]))
    };
    TableContent { fingerprint: "test-4".to_owned(), rows: (0..rows).map(row).collect() }
}

/// Runs the program; also its largest size in memory, in bytes. What does not end is killed.
fn measured(env: &TestEnv, args: &[&str]) -> (Output, u64) {
    let mut command = env.command(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let printed = std::thread::spawn(move || {
        let mut printed = Vec::new();
        stdout.read_to_end(&mut printed).map(|_| printed)
    });
    let said = std::thread::spawn(move || {
        let mut said = Vec::new();
        stderr.read_to_end(&mut said).map(|_| said)
    });
    // What the kernel tells of an ended child counts the memory of this very process too.
    let largest = || {
        let status = fs::read_to_string(&status).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    let (start, mut memory) = (Instant::now(), 0);
    let ended = loop {
        memory = memory.max(largest().unwrap_or_default() * 1024);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(50) {
            child.kill().unwrap();
            panic!("{args:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (stdout, stderr) = (printed.join().unwrap().unwrap(), said.join().unwrap().unwrap());
    (Output { code: ended.code(), stdout, stderr }, memory)
}

type Forge = fn(&Path) -> PathBuf;

/// A table that has one more column.
fn with_column(folder: &Path, rows: u16, column: ArrayRef) -> PathBuf {
    let field = Field::new("more", column.data_type().clone(), true);
    forge::write(folder, forge::batch(&honest(rows), vec![(field, column)]))
}

fn plain(folder: &Path) -> PathBuf {
    forge::write(folder, forge::batch(&honest(300), Vec::new()))
}

fn layout(column: &lance_file::format::pbfile::ColumnMetadata) -> pb21::PageLayout {
    use lance_file::format::pbfile::encoding::Location;
    let encoding = column.pages[0].encoding.as_ref().unwrap().location.as_ref().unwrap();
    let Location::Direct(direct) = encoding else { panic!() };
    let any = prost_types::Any::decode(&direct.encoding[..]).unwrap();
    pb21::PageLayout::decode(&any.value[..]).unwrap()
}

fn set_layout(
    column: &mut lance_file::format::pbfile::ColumnMetadata,
    layout: pb21::page_layout::Layout,
) {
    use lance_file::format::pbfile::{DirectEncoding, Encoding, encoding::Location};
    let any = prost_types::Any {
        type_url: "/lance.encodings21.PageLayout".to_owned(),
        value: pb21::PageLayout { layout: Some(layout) }.encode_to_vec(),
    };
    let direct = DirectEncoding { encoding: any.encode_to_vec() };
    column.pages[0].encoding = Some(Encoding { location: Some(Location::Direct(direct)) });
}

/// What is done to a table, and what is said of it.
const FORGERIES: &[(&str, Forge, &str)] = &[
    (
        "5 GB of equal strings, each once",
        |folder| {
            let values = StringArray::from(vec!["x".repeat(1 << 20)]);
            let keys = Int32Array::from(vec![0; 5_000]);
            with_column(folder, 5_000, Arc::new(DictionaryArray::new(keys, Arc::new(values))))
        },
        "other columns than ours",
    ),
    (
        "a list of 20,000,000 nulls",
        |folder| {
            let items = Arc::new(NullArray::new(20_000_000));
            let item = Arc::new(Field::new("item", DataType::Null, true));
            let offsets = OffsetBuffer::from_lengths([20_000_000]);
            with_column(folder, 1, Arc::new(ListArray::new(item, offsets, items, None)))
        },
        "other columns than ours",
    ),
    (
        "a column under the name of one of ours",
        |folder| {
            let table = plain(folder);
            forge::edit_manifest(&table, |manifest| {
                manifest.fields[1].logical_type = "string".into()
            })
        },
        "its manifest holds what none of ours does",
    ),
    (
        "metadata of the columns",
        |folder| {
            let table = plain(folder);
            forge::edit_manifest(&table, |manifest| {
                manifest.fields[0].metadata.insert("lance-encoding:blob".into(), b"true".into());
            })
        },
        "its manifest holds what none of ours does",
    ),
    (
        "files in another folder",
        |folder| {
            let table = plain(folder);
            let outside = folder.parent().unwrap().join("outside");
            fs::create_dir_all(&outside).unwrap();
            forge::edit_manifest(&table, |manifest| {
                manifest.base_paths.push(pb::BasePath {
                    id: 1,
                    name: Some("b".to_owned()),
                    is_dataset_root: false,
                    path: format!("file://{}", outside.display()),
                });
                manifest.reader_feature_flags |= 1 << 4;
                manifest.writer_feature_flags |= 1 << 4;
                manifest.fragments[0].files[0].base_id = Some(1);
            })
        },
        "its manifest holds what none of ours does",
    ),
    (
        "a file above its folder",
        |folder| {
            let table = plain(folder);
            forge::edit_manifest(&table, |manifest| {
                let file = &mut manifest.fragments[0].files[0];
                file.path = format!("../../../{}", file.path);
            })
        },
        "it names a file that is not in its folder",
    ),
    (
        "an absolute path",
        |folder| {
            let table = plain(folder);
            forge::edit_manifest(&table, |m| m.fragments[0].files[0].path = "/dev/tty".to_owned())
        },
        "it names a file that is not in its folder",
    ),
    (
        "a file of deletions",
        |folder| {
            let table = plain(folder);
            forge::edit_manifest(&table, |manifest| {
                manifest.fragments[0].deletion_file =
                    Some(pb::DeletionFile { read_version: 1, ..pb::DeletionFile::default() });
            })
        },
        "a fragment holds what none of ours does",
    ),
    (
        "one file in many fragments",
        |folder| {
            let table = plain(folder);
            forge::edit_manifest(&table, |manifest| {
                let fragment = manifest.fragments[0].clone();
                manifest.fragments =
                    (0..300).map(|id| pb::DataFragment { id, ..fragment.clone() }).collect();
            })
        },
        "a file that it does not name",
    ),
    (
        "more rows than there are",
        |folder| {
            let table = plain(folder);
            forge::edit_manifest(&table, |manifest| manifest.fragments[0].physical_rows = 1 << 40)
        },
        "a data file holds other columns than ours",
    ),
    (
        "a page of a billion rows",
        |folder| {
            let table = plain(folder);
            forge::edit_columns(&table, |columns| columns[1].pages[0].length = 1 << 30)
        },
        "a column is stored in another way than ours",
    ),
    (
        "one key for all rows",
        |folder| {
            let table = plain(folder);
            forge::edit_columns(&table, |columns| {
                let constant = pb21::ConstantLayout {
                    layers: vec![1],
                    inline_value: Some(vec![0; 16].into()),
                    ..pb21::ConstantLayout::default()
                };
                columns[0].pages[0].buffer_offsets.clear();
                columns[0].pages[0].buffer_sizes.clear();
                set_layout(&mut columns[0], pb21::page_layout::Layout::ConstantLayout(constant));
            })
        },
        "a column is stored in another way than ours",
    ),
    (
        "compression that unfolds",
        |folder| {
            let table = plain(folder);
            forge::edit_columns(&table, |columns| {
                use pb21::{compressive_encoding::Compression, page_layout::Layout};
                let Some(Layout::MiniBlockLayout(mut block)) = layout(&columns[2]).layout else {
                    panic!()
                };
                let general = pb21::General {
                    compression: Some(pb21::BufferCompression { scheme: 2, level: None }),
                    values: block.value_compression.take().map(Box::new),
                };
                block.value_compression = Some(pb21::CompressiveEncoding {
                    compression: Some(Compression::General(Box::new(general))),
                });
                set_layout(&mut columns[2], Layout::MiniBlockLayout(block));
            })
        },
        "a column is stored in another way than ours",
    ),
    (
        "one buffer for all pages",
        |folder| {
            let table = plain(folder);
            forge::edit_columns(&table, |columns| {
                let whole = columns[0].pages[0].clone();
                columns[1].pages = vec![whole; 100];
            })
        },
        "a column is stored in another way than ours",
    ),
    (
        "a buffer beyond the data",
        |folder| {
            let table = plain(folder);
            forge::edit_columns(&table, |columns| {
                columns[0].pages[0].buffer_sizes[1] = u64::MAX - 3;
            })
        },
        "a column is stored in another way than ours",
    ),
    (
        "statistics of a column",
        |folder| {
            let table = plain(folder);
            forge::edit_columns(&table, |columns| columns[0].buffer_offsets = vec![0; 1_000])
        },
        "a column is stored in another way than ours",
    ),
    (
        "another file",
        |folder| {
            let table = plain(folder);
            fs::create_dir(table.join("_deletions")).unwrap();
            fs::write(table.join("_deletions/0-1-1.arrow"), "x").unwrap();
            forge::seal(&table)
        },
        "a file that no table of ours has",
    ),
    (
        "two versions",
        |folder| {
            let table = plain(folder);
            let manifest = forge::file_in(&table, "_versions");
            fs::copy(&manifest, manifest.with_file_name("18446744073709551613.manifest")).unwrap();
            forge::seal(&table)
        },
        "a file that no table of ours has",
    ),
    (
        "a file of 3 GB",
        |folder| {
            let table = plain(folder);
            let data = forge::file_in(&table, "data");
            fs::File::options().write(true).open(data).unwrap().set_len(3 << 30).unwrap();
            forge::seal(&table)
        },
        "its files hold more than 72 MiB",
    ),
    (
        "a thousand files",
        |folder| {
            let table = plain(folder);
            for number in 0..1_000 {
                fs::write(table.join(format!("data/{number}.lance")), "x").unwrap();
            }
            forge::seal(&table)
        },
        "it has more than 64 files",
    ),
    (
        "a pipe",
        |folder| {
            let table = plain(folder);
            let sealed = forge::seal(&table);
            let data = forge::file_in(&sealed, "data");
            fs::remove_file(&data).unwrap();
            assert!(Command::new("mkfifo").arg(&data).status().unwrap().success());
            sealed
        },
        "is no regular file",
    ),
    (
        "a link",
        |folder| {
            let table = plain(folder);
            let data = forge::file_in(&table, "data");
            fs::remove_file(&data).unwrap();
            symlink("/dev/zero", &data).unwrap();
            table
        },
        "is no regular file",
    ),
];

#[test]
fn a_forged_table_is_refused_before_it_is_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap().join("index");
    // What the forger writes is read as it is, unless it is made to harm.
    let table = plain(&folder);
    let name = table.file_name().unwrap().to_str().unwrap();
    assert_eq!(tables::read(&Lance, &folder, name, None).unwrap(), honest(300));
    for (what, forge, expected) in FORGERIES {
        let table = forge(&folder);
        let name = table.file_name().unwrap().to_str().unwrap();
        let said = tables::read(&Lance, &folder, name, None).unwrap_err().to_string();
        assert!(said.ends_with(expected), "{what}: {said}");
    }
}

#[test]
fn commands_survive_forged_tables() {
    let env = repository();
    for (_, forge, _) in FORGERIES {
        forge(&index(&env));
    }
    env.remove(".git/elophanto");
    for args in [
        &["search", "otters"][..],
        &["index"],
        &["index", "--check"],
        &["doctor"],
        &["search", "--at", "HEAD", "otters"],
    ] {
        let (output, memory) = measured(&env, args);
        assert!(memory < MOST_MEMORY, "{args:?}: {memory} bytes");
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}: {output}");
        assert!(!output.to_string().contains(".rs:"), "{output}");
    }
    let found = env.run(&["search", "otters"]);
    assert!(found.code == Some(0) && found.stdout().contains("otters.md"), "{found}");
}

/// Nobody writes into these pipes: who opens one to read waits for ever.
#[test]
fn nothing_outside_of_a_table_is_opened() {
    let env = repository();
    let outside = env.outside().join("outside");
    fs::create_dir(&outside).unwrap();
    let table = plain(&index(&env));
    let data = forge::file_in(&table, "data").file_name().unwrap().to_owned();
    assert!(Command::new("mkfifo").arg(outside.join(&data)).status().unwrap().success());
    for root in [false, true] {
        let copy = env.path("copy.lance");
        assert!(Command::new("cp").arg("-r").args([&table, &copy]).status().unwrap().success());
        let copy = forge::edit_manifest(&copy, |manifest| {
            manifest.base_paths.push(pb::BasePath {
                id: 1,
                name: None,
                is_dataset_root: root,
                path: format!("file://{}", outside.display()),
            });
            manifest.reader_feature_flags |= 1 << 4;
            manifest.fragments[0].files[0].base_id = Some(1);
        });
        fs::rename(&copy, index(&env).join(copy.file_name().unwrap())).unwrap();
    }
    env.remove(".git/elophanto");
    let (output, _) = measured(&env, &["search", "otters"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(output.stderr().matches("holds what none of ours does").count(), 2, "{output}");
}

#[test]
fn a_table_that_ended_a_process_is_passed_over() {
    let env = repository();
    let name = &env.tables()[0];
    let view = env.view();
    env.remove(".git/elophanto");
    fs::create_dir_all(&view).unwrap();
    let trace = view.join(format!("trial-{name}"));
    // Somebody ended one process; the table may be sound.
    fs::write(&trace, "trial\n").unwrap();
    assert!(!env.ok(&["search", "otters"]).stderr().contains("passed over"));
    assert!(!trace.exists());
    env.remove(".git/elophanto");
    fs::create_dir_all(&view).unwrap();
    fs::write(&trace, "trial\ntrial\n").unwrap();
    snapshot!(env.run(&["search", "otters"]), @r"
    exit: 0
    --- stdout
    otters.md:3  Otters
        Otters hold hands while they sleep.
    --- stderr
    note: `.elophanto/index/[TABLE].lance` is passed over: a process ended, or took too long, while it read this table; `elophanto index --full` tries it once more; its vectors are made again
    ");
    let output = env.run(&["index", "--check"]);
    assert!(output.code == Some(1) && output.stdout().contains("1 table damaged"), "{output}");
    env.ok(&["index", "--full"]);
    let output = env.ok(&["index", "--check"]);
    assert!(!output.stderr().contains("process ended"), "{output}");
    // No trace is left of tables that were read well.
    let left = fs::read_dir(env.view()).unwrap();
    let mut left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!left.any(|name| name.starts_with("trial-")));
}

/// Changes at random in what describes a table, with the digest made to fit.
#[test]
fn tables_with_changed_bytes_do_no_harm() {
    let env = repository();
    let folder = env.outside().join("forged");
    let table = plain(&folder);
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..80 {
        let copy = env.outside().join("copy.lance");
        assert!(Command::new("cp").arg("-r").args([&table, &copy]).status().unwrap().success());
        let kind = ["_versions", "data", "data"][random.usize(..3)];
        let path = forge::file_in(&copy, kind);
        let mut bytes = fs::read(&path).unwrap();
        for _ in 0..random.usize(1..4) {
            let from = if random.bool() { 0 } else { bytes.len().saturating_sub(600) };
            let at = random.usize(from..bytes.len());
            bytes[at] = if random.bool() { random.u8(..) } else { 0xff };
        }
        fs::write(path, bytes).unwrap();
        let sealed = forge::seal(&copy);
        fs::create_dir_all(index(&env)).unwrap();
        fs::rename(&sealed, index(&env).join(sealed.file_name().unwrap())).unwrap();
    }
    env.remove(".git/elophanto");
    let (output, memory) = measured(&env, &["search", "otters"]);
    assert!(output.code == Some(0) && output.stdout().contains("otters.md"), "{output}");
    assert!(memory < MOST_MEMORY, "{memory} bytes");
    assert!(!output.stderr().contains(".rs:"), "{output}");
}

/// A disk that takes only so many bytes of a file, and does not say so at its end.
#[test]
fn a_table_that_was_cut_short_gets_no_name() {
    let mut refused = 0;
    for blocks in [1, 2, 3, 4, 5, 6, 8, 12, 40] {
        let env = TestEnv::new().builtin();
        for number in 0..12 {
            env.write(format!("n{number}.md"), format!("# Otters {number}\n\nOtter {number}.\n"));
        }
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" index");
        let mut command = env.sealed("sh");
        let output = crate::env::finish(command.args(["-c", &script, crate::env::PROGRAM]));
        for name in env.tables() {
            tables::read(&Lance, &index(&env), &name, None).unwrap();
        }
        refused += usize::from(env.tables().is_empty());
        if output.code == Some(0) {
            assert_eq!(env.tables().len(), 1, "{blocks}: {output}");
        }
        env.ok(&["index"]);
        env.ok(&["index", "--check"]);
    }
    assert!(refused > 0);
}

/// A search that finds no room for its view answers from memory, takes no room, and says what is wrong.
#[test]
fn a_view_that_cannot_be_written_takes_no_room() {
    let mut refused = 0;
    for blocks in [1, 4, 16, 64] {
        let env = TestEnv::new().builtin();
        for number in 0..40 {
            env.write(
                format!("n{number}.md"),
                format!("# Otters {number}\n\n{}\n", "Otters dive. ".repeat(60)),
            );
        }
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" search otters");
        let mut command = env.sealed("sh");
        let output = crate::env::finish(command.args(["-c", &script, crate::env::PROGRAM]));
        assert!(output.code == Some(0) && output.stdout().contains("Otters dive"), "{output}");
        assert!(!output.stderr().contains("No such file"), "{output}");
        let view = env.path(".git/elophanto/view");
        let entries = fs::read_dir(view).unwrap().map(|entry| entry.unwrap().path());
        let (manifests, others): (Vec<_>, Vec<_>) = entries
            .filter(|path| path.is_file() && path.extension().is_none_or(|it| it != "lock"))
            .partition(|path| path.ends_with("manifest"));
        if manifests.is_empty() {
            refused += 1;
            assert!(others.is_empty(), "{blocks}: {others:?}");
            assert!(output.stderr().contains("File too large"), "{output}");
        }
    }
    assert!(refused > 0);
}
