//! The end of servers and of what they started.

use super::*;

/// Processes of a group that live.
fn living(group: &str) -> usize {
    let argv = ["ps", "-A", "-o", "pgid=,stat="].map(str::to_owned);
    let environment = [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into();
    let output =
        elophanto_base::process::run(&argv, b"", &environment, Duration::from_secs(20), 4 << 20)
            .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some(group) && !words.next().unwrap_or_default().starts_with('Z')
        })
        .count()
}

fn pid(bench: &Bench) -> String {
    fs::read_to_string(bench.at("pid")).unwrap().trim().to_owned()
}

#[test]
fn all_of_a_group_end() {
    let bench = Bench::new();
    let file = bench.at("pid");
    let started = bench.start(&[bench.entry("t", &["pidfile", file.to_str().unwrap()])]);
    let group = pid(&bench);
    assert_eq!(living(&group), 1);
    assert_eq!(started.said("t_daemon", ""), "forked");
    assert_eq!(living(&group), 2);
    let Started { servers, tools, .. } = started;
    drop(servers);
    assert_eq!(living(&group), 0);
    // A tool that outlives its server answers.
    let said = tools[0].execute(&json!({}), &mut Caller::default()).unwrap_err().to_string();
    assert!(said.contains("it ended"), "{said}");
}

#[test]
fn stubborn_ones_end() {
    let bench = Bench::new();
    let script = format!(
        "echo $$ > {}; trap '' TERM; python3 server.py stubborn; sleep 1000",
        bench.at("pid").display()
    );
    let command = ["sh", "-c", &script].map(str::to_owned).to_vec();
    let environment = vec!["PATH".to_owned()];
    let at = At::Program { command, environment };
    let started = bench.start(&[Entry { trusted: true, ..Entry::at("t", at) }]);
    assert_eq!(started.problems, [""; 0]);
    assert_eq!(started.said("t_echo", "x"), "x");
    let group = pid(&bench);
    assert_eq!(living(&group), 2);
    drop(started);
    assert_eq!(living(&group), 0);
}

#[test]
fn those_that_fail_to_start_end_too() {
    let mut bench = Bench::new();
    bench.patience = Duration::from_millis(500);
    let script = format!("echo $$ > {}; sleep 1000 & sleep 1000", bench.at("pid").display());
    let command = ["sh", "-c", &script].map(str::to_owned).to_vec();
    let environment = vec!["PATH".to_owned()];
    let at = At::Program { command, environment };
    let started = bench.start(&[Entry { trusted: true, ..Entry::at("t", at) }]);
    assert_eq!(started.problems.len(), 1);
    assert_eq!(living(&pid(&bench)), 0);
}

#[test]
fn inside_another_runtime() {
    let bench = Bench::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let started = bench.good();
        assert_eq!(started.said("t_echo", "x"), "x");
        drop(started);
    });
}

#[test]
fn ended_while_somebody_waits() {
    let bench = Bench::new();
    let started = bench.good();
    let Started { servers, tools, .. } = started;
    std::thread::scope(|scope| {
        let hang = tools.iter().find(|tool| tool.spec().name == "t_hang").unwrap();
        let waiting = scope.spawn(|| hang.execute(&json!({}), &mut Caller::default()).is_err());
        std::thread::sleep(Duration::from_millis(200));
        drop(servers);
        assert!(waiting.join().unwrap());
    });
}
