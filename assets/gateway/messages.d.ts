// Messages of the gateway, made of their schemas.

/** A call that waits for an answer: `once`, and where it says so `session`, `edits` or `rule`; or `no`. */
export type ApprovalRequest = {
  /** By which it is answered. */
  request_id: string;
  /** BLAKE3 of the tool, its arguments and what is shown, in hex: an answer has to repeat it. */
  digest: string;
  /** When it began to wait. */
  asked: string;
  /** When it counts as denied. */
  expires: string;
  /** The run that waits for it. */
  run: string;
  /** The repository that the conversation is about. */
  repository: string;
  /** The run was ended while this waited: it goes on once this is answered. */
  is_interrupted: boolean;
} & ({
  kind: "call";
  /** By its name. */
  tool: string;
  /** `safe`, `moderate`, `destructive` or `critical`: how much harm it may do. */
  level: string;
  /** As they will be used. */
  arguments: unknown;
  /** What exactly will run, and its effect. */
  shown: string;
  /** Why it is asked about. */
  reasons: string[];
  /** Every command of a shell line, as its words. */
  commands: string[][];
  /** Whether `session` may be answered. */
  can_be_kept: boolean;
  /** Whether `edits` may be answered. */
  can_be_edits: boolean;
  /** Whether `rule` may be answered. */
  can_be_rule: boolean;
  /** Whether text from outside is in the conversation. */
  tainted: boolean;
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  kind: "question";
  /** The agent's own. */
  question: string;
  /** What may be answered; empty if anything may. */
  options: string[];
});

/** The answer to an approval or a question. */
export type ApprovalResponse = {
  /** That of the request. */
  request_id: string;
  /** That of the request: what is approved is what was shown. */
  digest: string;
  /** Yes in one of its widths, or no. */
  answer: Word;
  /** Of a question: what is answered. Of a no: why not. */
  text?: (string | null);
};

/** A file that goes with what somebody says. */
export type Attached = (string | AttachedFile);

/** A file within a message. */
export type AttachedFile = {
  /** As the user knows it, kept on one line of at most 100 bytes. */
  name: string;
  /** Its bytes in Base64. */
  data: string;
};

/** Where somebody speaks to the agent. */
export type Channel = ("cli" | "telegram" | "discord" | "slack" | "web" | "lsp");

/** What somebody says to the agent. */
export type Chat = {
  /** In the user's words, at most 64 KiB. */
  content: string;
  /** Files that go with it: at most ten. */
  attachments?: Attached[];
};

/** A command of a conversation. */
export type Command = {
  /** With or without the `/`. */
  name: string;
  /** What stands behind it. */
  args?: string;
};

/** Why something was not done. */
export type Failure = {
  /** What was wrong, on one line. */
  detail: string;
  /** What to do next. */
  hint: (string | null);
  /** The message that is meant, if it had an id. */
  reply_to: (string | null);
};

/** A message of the gateway. */
export type FromGateway = {
  /** Of this message. */
  id: string;
  /** The conversation that it is about. */
  session_id: string;
  /** Where the client is. */
  channel: Channel;
  /** Whom the client speaks for, as their channel knows them. */
  user_id: string;
} & ({
  type: "response";
  data: Response;
} | {
  type: "approval_request";
  data: ApprovalRequest;
} | {
  type: "event";
  data: Happening;
} | {
  type: "status";
  data: Status;
} | {
  type: "error";
  data: Failure;
});

/** What happens, as it happens. */
export type Happening = ({
  event: "begun";
  /** By which it is known from now on. */
  run: string;
  /** What was asked for. */
  goal: string;
  /** The message that asked for it. */
  reply_to: (string | null);
} | {
  event: "planned";
  /** In their order. */
  steps: string[];
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "calling";
  /** By its name. */
  tool: string;
  /** What exactly will run, and its effect. */
  shown: string;
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "called";
  /** By its name. */
  tool: string;
  /** Whether it did not do what was asked. */
  failed: boolean;
  /** What it gave back, cut; it comes from outside. */
  text: string;
  /** How long it took. */
  seconds: number;
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "todo";
  /** In their order. */
  items: TodoItem[];
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "output";
  /** By its name. */
  tool: string;
  /** Secrets are masked in it; it comes from outside. */
  text: string;
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "progress";
  /** By its name. */
  tool: string;
  /** In words. */
  text: string;
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "unmade";
  /** By its name. */
  tool: string;
  /** In words, as the model is told. */
  reason: string;
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "reflected";
  /** What it thinks of it. */
  note: string;
  /** Whether it came out otherwise than expected. */
  unexpected: boolean;
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "compacted";
  /** How many. */
  messages: number;
} | {
  event: "tainted";
  /** Where it comes from. */
  origin: string;
} | {
  event: "sub_task";
  /** What it is to do. */
  goal: string;
  /** How many tasks this one is nested in. */
  depth: number;
} | {
  event: "restart";
} | {
  event: "approval_settled";
  /** Of the request. */
  request_id: string;
  /** `once`, `session`, `edits`, `rule`, `no`, `expired` or `stopped`. */
  answer: string;
  /** Where it was answered; `None` if nobody did. */
  channel: (Channel | null);
} | {
  event: "notification";
  /** On one line or several. */
  text: string;
  /** How much it matters. */
  tone: Tone;
} | {
  event: "error";
  /** What happened, in words. */
  text: string;
} | TaskComplete & {
  event: "task_complete";
});

/** What a client says of itself. */
export type Hello = {
  /** The newest of the protocol that it speaks. */
  version: number;
};

/** An answer. */
export type Response = {
  /** Of a piece, that piece; where `done`, the whole answer. Markdown; text from outside may be in it. */
  content: string;
  /** Nothing more comes of this answer. */
  done: boolean;
  /** The message that is answered. */
  reply_to: (string | null);
  /** What is known of it, and where it stands; with the whole answer only. */
  sources?: SourceWire[];
  /** The task that is answered, where nobody asked for it just now but its time had come; with the whole answer only. */
  scheduled?: (string | null);
};

/** Where something is said. */
export type SourceWire = {
  /** Relative to the root of the repository. */
  path: string;
  /** The first line, from 1. */
  line?: (number | null);
  /** The last commit that changed the file, if it is committed. */
  commit?: (string | null);
};

/** How a conversation stands. */
export type Status = {
  /** Of the protocol. */
  version: number;
  /** Of the program. */
  server: string;
  /** The repository that the conversation is about, and all that are served. */
  repository: string;
  /** Names that `/repo` takes. */
  repositories: string[];
  /** What this connection may do: `read`, `chat`, `approve`, `admin`. */
  scopes: string[];
  /** The goal of the run that goes on. */
  running: (string | null);
  /** Messages that wait for their turn. */
  queued: number;
  /** Approvals that wait for an answer. */
  approvals: number;
  /** The message that was taken, and is on disk now. */
  accepted: (string | null);
};

/** A run has ended. */
export type TaskComplete = {
  /** By which it is known. */
  run: string;
  /** What was asked for. */
  goal: string;
  /** `done`, `partly`, `nothing done`, `failed`, `cancelled` or `cut off`. */
  outcome: string;
  /** Why it came to that, in a few words. */
  reason: string;
  /** That it touched, relative to the root, sorted. */
  files: string[];
  /** That it made: full ids. */
  commits: string[];
  /** That were written about it, relative to the root. */
  notes: string[];
  /** Calls that were made and that change, run or reach something. */
  effects: number;
  /** Of the model. */
  steps: number;
  /** That models read. */
  input_tokens: number;
  /** That models wrote. */
  output_tokens: number;
  /** Of the calls whose price is known. */
  usd: number;
  /** What the user should look at. */
  warnings: string[];
};

/** A message of a client. */
export type ToGateway = {
  /** Chosen by the client; a message that is sent again with the same id is not done again. */
  id: string;
  /** May be left out; another one than that of the connection is refused. */
  session_id?: (string | null);
} & ({
  type: "chat";
  data: Chat;
} | {
  type: "approval_response";
  data: ApprovalResponse;
} | {
  type: "command";
  data: Command;
} | {
  type: "status";
  data: Hello;
});

/** Something that is to be done. */
export type TodoItem = {
  /** On one line. */
  text: string;
  /** `open`, `doing` or `done`. */
  state: string;
};

/** How something is told. */
export type Tone = ("note" | "warning" | "talk");

/** What may be answered to an approval. */
export type Word = ("once" | "session" | "edits" | "rule" | "no");
