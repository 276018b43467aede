//! Figures, shown on demand.

use std::{fs, time::Instant};

use super::repository::{Repo, id};
use elophanto_agent::checkpoint::How;

#[test]
#[ignore = "shows figures"]
fn ten_thousand_files() {
    let repo = Repo::new(&[]);
    for number in 0..10_000 {
        repo.write(
            &format!("d{}/e{}/f{number}.md", number % 100, number % 10),
            &format!("text {number}\n").repeat(40),
        );
    }
    repo.commit_all("first");
    std::thread::sleep(std::time::Duration::from_millis(100));
    let mut said = Vec::new();
    let mut time = |name: &str, work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        said.push(format!("{name}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3));
    };
    let run_id = id();
    repo.with(|at| {
        let mut run = None;
        time("begin", &mut || run = Some(at.begin(&run_id).unwrap()));
        let mut run = run.unwrap();
        time("before_anything, first time", &mut || run.before_anything(&[], false).unwrap());
        time("after, nothing changed", &mut || drop(run.after().unwrap()));
        for _ in 0..3 {
            time("before_anything, unchanged", &mut || run.before_anything(&[], false).unwrap());
            time("after, nothing changed", &mut || drop(run.after().unwrap()));
        }
        run.before_anything(&[], false).unwrap();
        for number in 0..100 {
            fs::write(repo.root.join(format!("d{number}/e{}/f{number}.md", number % 10)), "new")
                .unwrap();
        }
        time("after, 100 changed", &mut || assert_eq!(run.after().unwrap().len(), 100));
        time("before_anything, 100 changed", &mut || run.before_anything(&[], false).unwrap());
        run.after().unwrap();
        for _ in 0..3 {
            time("before_files", &mut || run.before_files(&["d1/e1/f1.md".into()]).unwrap());
            time("after", &mut || drop(run.after().unwrap()));
        }
        let mut run = Some(run);
        time("finish", &mut || drop(run.take().map(|run| run.finish().unwrap())));
        time("runs", &mut || drop(at.runs().unwrap()));
    });
    time("undo of 100", &mut || drop(repo.undo(&run_id, How::All).unwrap()));
    panic!("{said:#?}");
}
