//! The gateway killed at random moments: no message that it took is lost, none is done twice, every
//! approval is answered once or waits.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    Gate, Talk, bench,
    runs::{obedient, once, times},
    state,
};

/// Kills by default; more when this variable says so.
const KILLS: u32 = 8;
const VARIABLE: &str = "ELOPHANTO_KILLS";
/// How a task ended, everything that it asks approved; `None` if the connection ends before it.
fn end_of(talk: &mut Talk<UnixStream>, goal: &str) -> Option<String> {
    loop {
        let message = talk.next().ok()?;
        if message["type"] == "approval_request" {
            talk.say("approval_response", once(&message["data"]));
        }
        if message["data"]["event"] == "task_complete" && message["data"]["goal"] == goal {
            return message["data"]["outcome"].as_str().map(str::to_owned);
        }
    }
}

#[test]
fn killed_at_random() {
    let kills = std::env::var(VARIABLE).ok().and_then(|it| it.parse().ok()).unwrap_or(KILLS);
    let mut random = fastrand::Rng::with_seed(u64::from(kills));
    let model = obedient();
    let env = bench(&model);
    env.write_settings(&format!("{}agent.mode: ask\n", model.settings()));
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    // The first flow is left alone: the others are killed within about the time that it takes.
    let mut flow = None;
    for number in 0..=kills {
        let (id, task) = (Uuid::new_v4().to_string(), format!("k{number}"));
        let content = json!({ "content": format!("task {task}") });
        let gate = Gate::open(&env);
        let (pid, begun) = (gate.child.id(), Instant::now());
        let moment = flow.map(|flow: u64| Duration::from_millis(random.u64(0..flow + flow / 4)));
        let killer = std::thread::spawn(move || {
            if let Some(moment) = moment {
                std::thread::sleep(moment);
                // SAFETY: only sends a signal, to a child that is waited for after this thread.
                unsafe { libc::kill(pid.cast_signed(), libc::SIGKILL) };
            }
        });
        if let Some(mut talk) = gate.try_greet() {
            talk.say_as(&id, "chat", content.clone());
            while let Ok(message) = talk.next() {
                if moment.is_none() && message["data"]["event"] == "task_complete" {
                    flow = Some(u64::try_from(begun.elapsed().as_millis()).unwrap());
                    break;
                }
                if message["type"] == "approval_request" {
                    talk.say("approval_response", once(&message["data"]));
                }
            }
        }
        killer.join().unwrap();
        drop(gate);

        let goal = format!("task {task}");
        let end = loop {
            let gate = Gate::open(&env);
            let mut talk = gate.greet();
            talk.say_as(&id, "chat", content.clone());
            match end_of(&mut talk, &goal) {
                Some(end) => break end,
                // Nobody but the system, which was out of memory, may have killed it.
                None => gate.killed(),
            }
        };
        let done = times(&env, &task);
        assert!(done <= 1 && (end != "done" || done == 1), "{task} was done {done} times: {end}");
        *ends.entry(end).or_default() += 1;
    }
    assert!(ends.contains_key("done"), "{ends:?}");
    assert!(ends.keys().all(|end| end == "done" || end == "cut off"), "{ends:?}");
    // On disk: every message that was taken has an end, and each approval one answer.
    let folder = fs::read_dir(state(&env, "conversations")).unwrap();
    let logs = folder.map(|entry| entry.unwrap().path());
    let records: Vec<Value> = logs
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect::<Vec<_>>()
        })
        .collect();
    let ids = |what: &str, key: &str| -> Vec<String> {
        let of = records.iter().filter(|record| record["what"] == what);
        of.map(|record| record[key].as_str().unwrap().to_owned()).collect()
    };
    let (taken, ended) = (ids("taken", "id"), ids("ended", "id"));
    assert!(taken.len() == kills as usize + 1 && taken.iter().all(|id| ended.contains(id)));
    let mut settled = ids("settled", "request");
    let all = settled.len();
    settled.sort_unstable();
    settled.dedup();
    assert_eq!(settled.len(), all);
}
