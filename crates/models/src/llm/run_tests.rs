//! Whole runs: with models that follow a script, and once over the network.

use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    ops::ControlFlow,
    path::Path,
    sync::{Arc, Mutex},
};

use jiff::Timestamp;
use tempfile::TempDir;

use super::{
    fake_tests::{Fake, error, said, whole},
    *,
};
use elophanto_net::address::is_loopback;

type Script = Vec<Result<Reply, LlmError>>;

/// Gives what it was told to give, and keeps what it was asked.
#[derive(Clone)]
struct Scripted {
    script: Arc<Mutex<VecDeque<Result<Reply, LlmError>>>>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Scripted {
    fn new(script: Script) -> Self {
        Self { script: Arc::new(Mutex::new(script.into())), asked: Arc::default() }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|request| request.model.clone()).collect()
    }
}

impl Llm for Scripted {
    fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        self.asked.lock().unwrap().push(request.clone());
        self.script.lock().unwrap().pop_front().unwrap()
    }

    fn stream(
        &self,
        request: &Request,
        sink: &mut dyn FnMut(Delta) -> ControlFlow<()>,
    ) -> Result<Reply, LlmError> {
        let _ = sink(Delta::Text("piece".into()));
        self.complete(request)
    }

    fn requests_sent(&self) -> u64 {
        3 * self.asked.lock().unwrap().len() as u64
    }
}

fn ok(tokens: u64) -> Result<Reply, LlmError> {
    Ok(Reply {
        text: "the secret answer".into(),
        value: None,
        tool_calls: vec![],
        stop: StopReason::End,
        usage: Usage { input: tokens, output: tokens, calls: 1, ..Usage::default() },
        model: "m".into(),
        attempts: 1,
    })
}

fn down() -> Result<Reply, LlmError> {
    Err(LlmError::Server { status: 500, message: "down".into() })
}

fn clock() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn request() -> Request {
    Request {
        messages: vec![Message::user("the secret question")],
        max_tokens: 100,
        ..Request::default()
    }
}

struct Scene {
    folder: TempDir,
    cloud: Scripted,
    local: Scripted,
    budget: Budget,
    price: Option<Price>,
    local_only: bool,
    images: Images,
    has_ledger: bool,
}

impl Scene {
    /// `cloud/a`, whose price is 1 and 10 USD per million tokens, and then `ollama/b`.
    fn new(cloud: Script, local: Script) -> Self {
        let (cloud, local) = (Scripted::new(cloud), Scripted::new(local));
        let folder = tempfile::tempdir().unwrap();
        let price = Price::per_million(1.0, 10.0);
        Self {
            folder,
            cloud,
            local,
            budget: Budget::default(),
            price,
            local_only: false,
            images: Images::Known,
            has_ledger: true,
        }
    }

    fn limited(mut self, run: &str, day: &str) -> Self {
        let limits = |text: &str| match text {
            "" => Limits::default(),
            text => text.parse().unwrap(),
        };
        (self.budget.run, self.budget.day) = (limits(run), limits(day));
        self
    }

    fn ledger(&self) -> Ledger {
        Ledger::new(self.folder.path().join("usage"))
    }

    /// A process of its own would make the same router.
    fn router(&self) -> Router {
        self.router_that(|_| {})
    }

    /// The same with something changed.
    fn router_that(&self, change: impl FnOnce(&mut Running)) -> Router {
        let member = |llm: &Scripted, is_loopback| Member {
            llm: Box::new(llm.clone()),
            site: Site { is_loopback },
        };
        let members = BTreeMap::from([
            ("cloud".to_owned(), member(&self.cloud, false)),
            ("ollama".to_owned(), member(&self.local, true)),
        ]);
        let mut routes = Routes::none();
        let (a, b): (ModelRef, ModelRef) =
            ("cloud/a".parse().unwrap(), "ollama/b".parse().unwrap());
        for task in Task::ALL {
            routes.set(task, vec![a.clone(), b.clone()]);
        }
        let mut prices = Prices::default();
        if let Some(price) = self.price {
            prices.set(a, price);
        }
        let mut running = Running {
            routes,
            prices,
            budget: self.budget,
            local_only: self.local_only,
            insists: false,
            images: self.images,
            command: "test".into(),
            ledger: self.has_ledger.then(|| self.ledger()),
            health: Some(HealthFile::new(self.folder.path().join("health.json"))),
            clock,
        };
        change(&mut running);
        Router::new(members, running)
    }

    /// `model input+output usd attempts outcome` of every call.
    fn recorded(&self) -> Vec<String> {
        let (calls, problems) = self.ledger().read(Timestamp::MIN..Timestamp::MAX).unwrap();
        assert_eq!(problems, []);
        let line = |call: &Call| {
            let usd = call.usd_micros.map_or("?".to_owned(), |usd| usd.to_string());
            let Call { model, input, output, attempts, outcome, .. } = call;
            format!("{model} {input}+{output} {usd} {attempts} {outcome}")
        };
        calls.iter().map(line).collect()
    }
}

#[test]
fn the_first_model_that_answers() {
    let scene = Scene::new(vec![ok(10), down(), down()], vec![ok(5), ok(5), ok(5)]);
    let router = scene.router();
    let answer = router.run(Task::Summary, &request(), None).unwrap();
    assert_eq!((answer.model.to_string().as_str(), answer.usd_micros), ("cloud/a", Some(110)));
    for _ in 0..2 {
        let answer = router.run(Task::Summary, &request(), None).unwrap();
        assert_eq!(answer.model.to_string(), "ollama/b");
        assert_eq!(answer.failed[0].1.kind(), "server");
    }
    // It rests now; and also for other processes.
    for router in [router, scene.router()] {
        let plan = router.plan(Task::Summary);
        assert!(matches!(plan.rejected[0].1, Why::Resting { .. }), "{plan:?}");
    }
    // Unless the user names the model by hand.
    let insisting = scene.router_that(|running| running.insists = true);
    assert_eq!(insisting.plan(Task::Summary).rejected, []);
    assert_eq!(
        scene.recorded(),
        [
            "a 10+10 110 1 ok", "a 0+0 0 3 server", "b 5+5 0 1 ok", "a 0+0 0 3 server",
            "b 5+5 0 1 ok"
        ],
    );
    assert_eq!(scene.cloud.asked(), ["a", "a", "a"]);
}

#[test]
fn nothing_leaves_this_machine_if_it_must_not() {
    let mut scene = Scene::new(vec![], vec![down(), ok(1)]);
    scene.local_only = true;
    let router = scene.router();
    assert!(router.run(Task::Summary, &request(), None).is_err());
    assert_eq!(router.run(Task::Summary, &request(), None).unwrap().model.to_string(), "ollama/b");
    assert!(scene.cloud.asked().is_empty());
}

#[test]
fn neither_prompts_nor_answers_nor_keys_are_written() {
    let scene = Scene::new(vec![down()], vec![ok(5)]);
    scene.router().run(Task::Planning, &request(), None).unwrap();
    let mut files = 0;
    let mut look = |folder: &Path| {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                files += 1;
                assert!(!fs::read_to_string(path).unwrap().contains("secret"));
            }
        }
    };
    look(scene.folder.path());
    look(&scene.folder.path().join("usage"));
    assert!(files >= 2);
}

#[test]
fn nobody_answers_or_nobody_may_be_asked() {
    let missing = LlmError::ModelMissing { model: "a".into(), message: "pull it".into() };
    let scene = Scene::new(vec![Err(missing)], vec![down()]);
    let error = scene.router().run(Task::Simple, &request(), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no model for simple gave an answer: `cloud/a`: there is no model `a`: pull it; \
         `ollama/b`: the provider failed (status 500): down",
    );
    let router = Router::new(BTreeMap::new(), Running::default());
    let error = router.run(Task::Review, &request(), None).unwrap_err();
    assert!(error.to_string().starts_with("no model for review can be asked: `openrouter/"));
}

#[test]
fn a_request_of_which_the_provider_is_innocent_does_not_rest_it() {
    let long = || Err(LlmError::ContextTooLong { message: "9 tokens".into() });
    let scene = Scene::new(vec![long(), long(), long()], vec![ok(1), ok(1), ok(1)]);
    let router = scene.router();
    for _ in 0..3 {
        router.run(Task::Summary, &request(), None).unwrap();
    }
    assert_eq!(router.plan(Task::Summary).candidates.len(), 2);
}

#[test]
fn budgets_are_checked_before_each_call() {
    // About 30 tokens of prompt and 100 of answer: 1,030 millionths at the most.
    let scene = Scene::new(vec![ok(10)], vec![ok(10), ok(10)]).limited("0.0011usd,3calls", "");
    let router = scene.router();
    assert_eq!(router.run(Task::Simple, &request(), None).unwrap().model.to_string(), "cloud/a");
    // Too dear now, but a model on this machine costs nothing.
    for _ in 0..2 {
        let answer = router.run(Task::Simple, &request(), None).unwrap();
        assert_eq!(answer.model.to_string(), "ollama/b");
    }
    let error = router.run(Task::Simple, &request(), None).unwrap_err();
    assert_eq!(error.to_string(), "the budget of 3 calls per run is used up");
    assert_eq!(router.spent(), Spent { usd_micros: 110, tokens: 60, calls: 3 });
}

#[test]
fn days_are_shared_between_processes() {
    let scene = Scene::new(vec![ok(450)], vec![]).limited("", "1000tok");
    scene.router().run(Task::Simple, &request(), None).unwrap();
    let error = scene.router().run(Task::Simple, &request(), None).unwrap_err();
    assert!(
        matches!(error, RunError::OverBudget(OverBudget::Tokens { spent: 900, .. })),
        "{error}"
    );
    assert_eq!(scene.cloud.asked().len(), 1);
    // A ledger that cannot be read proves nothing.
    fs::remove_dir_all(scene.folder.path().join("usage")).unwrap();
    fs::create_dir_all(scene.folder.path().join("usage/2026-11.jsonl")).unwrap();
    let error = scene.router().run(Task::Simple, &request(), None).unwrap_err();
    assert!(matches!(error, RunError::Ledger(_)), "{error}");
}

#[test]
fn what_could_not_be_recorded_still_counts() {
    let mut scene = Scene::new(vec![ok(450)], vec![]).limited("", "1000tok");
    scene.has_ledger = false;
    let router = scene.router();
    router.run(Task::Simple, &request(), None).unwrap();
    assert!(matches!(router.run(Task::Simple, &request(), None), Err(RunError::OverBudget(_))));

    let scene = Scene::new(vec![ok(10)], vec![]);
    fs::write(scene.folder.path().join("usage"), "a file where the folder should be").unwrap();
    let router = scene.router();
    let answer = router.run(Task::Simple, &request(), None).unwrap();
    assert!(matches!(answer.unrecorded[..], [Unrecorded::Ledger(_)]), "{:?}", answer.unrecorded);
    assert_eq!(router.spent().tokens, 20);
}

#[test]
fn an_unknown_price_is_refused_where_money_is_limited() {
    let mut scene = Scene::new(vec![], vec![ok(1)]).limited("1usd", "");
    scene.price = None;
    let answer = scene.router().run(Task::Simple, &request(), None).unwrap();
    assert_eq!((answer.model.to_string().as_str(), answer.usd_micros), ("ollama/b", Some(0)));
}

#[test]
fn an_estimate_that_was_too_low_is_told() {
    let scene = Scene::new(vec![ok(5_000)], vec![]).limited("1000tok", "");
    let answer = scene.router().run(Task::Simple, &request(), None).unwrap();
    assert!(matches!(answer.overdrawn, Some(OverBudget::Tokens { spent: 10_000, .. })));
}

#[test]
fn there_is_no_second_try_that_the_budget_has_no_room_for() {
    let schema = serde_json::json!({ "type": "object" });
    let schema = Some(Schema { name: "form".into(), schema });
    for (calls, repairs) in [("1calls", 0), ("2calls", 1)] {
        let scene = Scene::new(vec![ok(1)], vec![]).limited(calls, "");
        let request = Request { schema: schema.clone(), ..request() };
        scene.router().run(Task::Simple, &request, None).unwrap();
        assert_eq!(scene.cloud.asked.lock().unwrap()[0].repairs, repairs);
    }
}

#[test]
fn a_failed_answer_that_was_paid_for_is_recorded() {
    let usage = Usage { input: 40, output: 20, calls: 2, ..Usage::default() };
    let (schema, reason, raw) = ("form".into(), "no".into(), "the secret".into());
    let wrong = Err(LlmError::Schema { schema, reason, raw, usage });
    let broken = Err(LlmError::Truncated { reason: "it broke".into(), usage });
    let scene = Scene::new(vec![wrong, broken], vec![ok(1), ok(1)]);
    let router = scene.router();
    for _ in 0..2 {
        router.run(Task::Simple, &request(), None).unwrap();
    }
    let recorded = scene.recorded();
    assert_eq!(recorded[0], "a 40+20 240 3 schema");
    assert_eq!(recorded[2], "a 40+20 240 3 truncated");
    assert_eq!(router.spent().calls, 6);
}

#[test]
fn a_stream_begins_again_with_the_next_model() {
    let scene = Scene::new(vec![down()], vec![ok(1)]);
    let mut deltas = Vec::new();
    let mut sink = |delta| {
        deltas.push(delta);
        ControlFlow::Continue(())
    };
    scene.router().run(Task::Simple, &request(), Some(&mut sink)).unwrap();
    let piece = Delta::Text("piece".into());
    assert_eq!(deltas, [piece.clone(), Delta::Restart, piece]);
}

#[test]
fn the_model_that_wrote_the_code_does_not_review_it() {
    let scene = Scene::new(vec![down()], vec![ok(1)]);
    let router = scene.router();
    assert_eq!(router.plan(Task::Review).candidates[0].to_string(), "ollama/b");
    let coder = router.run(Task::Coding, &request(), None).unwrap().model;
    assert_eq!(coder.to_string(), "ollama/b");
    assert_eq!(router.plan(Task::Review).candidates[0].to_string(), "cloud/a");
}

#[test]
fn over_the_network() {
    let busy = Fake::new([error(Kind::Anthropic, 529, "Overloaded")]);
    let fine = Fake::new([whole(Kind::Ollama, said("ok"))]);
    let member = |fake: &Fake, kind| Member {
        llm: Box::new(fake.provider(kind)),
        site: Site { is_loopback: is_loopback(&fake.url) },
    };
    let members = BTreeMap::from([
        ("anthropic".to_owned(), member(&busy, Kind::Anthropic)),
        ("ollama".to_owned(), member(&fine, Kind::Ollama)),
    ]);
    let router = Router::new(members, Running::default());
    let answer = router.run(Task::Coding, &request(), None).unwrap();
    assert_eq!(answer.model.to_string(), "ollama/qwen2.5-coder:14b");
    assert_eq!((answer.reply.text.as_str(), answer.failed.len()), ("ok", 1));
    assert_eq!((busy.calls(), fine.calls()), (2, 1));
    fine.last(|seen| assert_eq!(seen.body["model"], "qwen2.5-coder:14b"));
}

#[test]
fn pictures_go_only_to_models_that_take_them() {
    let mut scene = Scene::new(vec![ok(1)], vec![ok(1), ok(1)]);
    let mut asked = request();
    asked.messages.push(Message::Image(Image {
        path: "a.png".into(),
        hash: String::new(),
        bytes: 1,
        format: Format::Png,
        size: Size { width: 1, height: 1 },
        is_changed: false,
        data: Some(Arc::from(*b"a")),
    }));
    let error = scene.router().run(Task::Planning, &asked, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no model for planning gave an answer: `cloud/a`: it is not known to take images; \
         `ollama/b`: it is not known to take images",
    );
    assert!(scene.cloud.asked().is_empty() && scene.recorded().is_empty());
    scene.images = Images::All;
    assert!(scene.router().run(Task::Planning, &asked, None).is_ok());
    assert_eq!(scene.cloud.asked(), ["a"]);
    // One that is only named goes to any.
    if let Some(Message::Image(image)) = asked.messages.last_mut() {
        image.data = None;
    }
    scene.images = Images::None;
    scene.cloud.script.lock().unwrap().push_back(ok(1));
    assert!(scene.router().run(Task::Planning, &asked, None).is_ok());
}

/// Asks the router again while it is asked itself, as another thread might.
struct Twice {
    router: Arc<std::sync::OnceLock<Router>>,
    inner: Arc<Mutex<Vec<String>>>,
}

impl Llm for Twice {
    fn complete(&self, _: &Request) -> Result<Reply, LlmError> {
        if self.inner.lock().unwrap().is_empty() {
            self.inner.lock().unwrap().push("asked".to_owned());
            let again = self.router.get().unwrap().run(Task::Simple, &request(), None);
            self.inner
                .lock()
                .unwrap()
                .push(again.map_or_else(|it| it.to_string(), |_| String::new()));
        }
        ok(10)
    }

    fn stream(
        &self,
        request: &Request,
        _: &mut dyn FnMut(Delta) -> ControlFlow<()>,
    ) -> Result<Reply, LlmError> {
        self.complete(request)
    }
}

#[test]
fn calls_at_once_share_the_budget() {
    let router = Arc::new(std::sync::OnceLock::new());
    let inner = Arc::new(Mutex::new(Vec::new()));
    let llm = Twice { router: router.clone(), inner: inner.clone() };
    let member = Member { llm: Box::new(llm), site: Site { is_loopback: true } };
    let mut routes = Routes::none();
    routes.set(Task::Simple, vec!["ollama/b".parse().unwrap()]);
    // Room for one call of up to 129 tokens, and for two of which each is known to have taken 20.
    let run = "200tok".parse().unwrap();
    let budget = Budget { run, ..Budget::default() };
    let running = Running { routes, budget, ..Running::default() };
    let made = Router::new(BTreeMap::from([("ollama".to_owned(), member)]), running);
    assert!(router.set(made).is_ok());
    let router = router.get().unwrap();
    assert_eq!(router.tokens_left(), Some(200));
    router.run(Task::Simple, &request(), None).unwrap();
    let said = inner.lock().unwrap().clone();
    assert!(said[1].starts_with("the budget of 200 tokens per run does not allow"), "{said:?}");
    assert_eq!(router.tokens_left(), Some(180));
    router.run(Task::Simple, &request(), None).unwrap();
}
