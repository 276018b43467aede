// Messages of the gateway, made of their schemas.

/** A call that waits for an answer: `once`, and where it says so `session`, `edits` or `rule`; or `no`. */
export type ApprovalRequest = {
  request_id: string;
  /** BLAKE3 of the tool, its arguments and what is shown, in hex: an answer has to repeat it. */
  digest: string;
  asked: string;
  /** When it counts as denied. */
  expires: string;
  run: string;
  /** The repository that the conversation is about. */
  repository: string;
  /** The run was ended while this waited: it goes on once this is answered. */
  is_interrupted: boolean;
} & ({
  kind: "call";
  tool: string;
  level: string;
  /** As they will be used. */
  arguments: unknown;
  /** What exactly will run, and its effect. */
  shown: string;
  reasons: string[];
  commands: string[][];
  can_be_kept: boolean;
  can_be_edits: boolean;
  can_be_rule: boolean;
  tainted: boolean;
  depth: number;
} | {
  kind: "question";
  question: string;
  options: string[];
});

/** The answer to an approval or a question. */
export type ApprovalResponse = {
  request_id: string;
  /** That of the request: what is approved is what was shown. */
  digest: string;
  answer: Word;
  /** Of a question: what is answered. Of a no: why not. */
  text?: (string | null);
};

/** A file that goes with what somebody says. */
export type Attached = (string | AttachedFile);

/** A file within a message. */
export type AttachedFile = {
  name: string;
  /** Its bytes in Base64. */
  data: string;
};

/** Where somebody speaks to the agent. */
export type Channel = ("cli" | "telegram" | "discord" | "slack" | "web" | "lsp");

/** What somebody says to the agent. */
export type Chat = {
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
  detail: string;
  hint: (string | null);
  reply_to: (string | null);
};

/** A message of the gateway. */
export type FromGateway = {
  id: string;
  session_id: string;
  channel: Channel;
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
  run: string;
  goal: string;
  reply_to: (string | null);
} | {
  event: "planned";
  steps: string[];
  depth: number;
} | {
  event: "calling";
  tool: string;
  shown: string;
  depth: number;
} | {
  event: "called";
  tool: string;
  failed: boolean;
  text: string;
  seconds: number;
  depth: number;
} | {
  event: "todo";
  items: TodoItem[];
  depth: number;
} | {
  event: "output";
  tool: string;
  text: string;
  depth: number;
} | {
  event: "progress";
  tool: string;
  text: string;
  depth: number;
} | {
  event: "unmade";
  tool: string;
  reason: string;
  depth: number;
} | {
  event: "reflected";
  note: string;
  unexpected: boolean;
  depth: number;
} | {
  event: "compacted";
  messages: number;
} | {
  event: "tainted";
  origin: string;
} | {
  event: "sub_task";
  goal: string;
  depth: number;
} | {
  event: "restart";
} | {
  event: "approval_settled";
  request_id: string;
  /** `once`, `session`, `edits`, `rule`, `no`, `expired` or `stopped`. */
  answer: string;
  channel: (Channel | null);
} | {
  event: "notification";
  text: string;
  tone: Tone;
} | {
  event: "error";
  text: string;
} | TaskComplete & {
  event: "task_complete";
});

/** What a client says of itself. */
export type Hello = {
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
  run: string;
  goal: string;
  /** `done`, `partly`, `nothing done`, `failed`, `cancelled` or `cut off`. */
  outcome: string;
  reason: string;
  files: string[];
  commits: string[];
  notes: string[];
  /** Calls that were made and that change, run or reach something. */
  effects: number;
  steps: number;
  input_tokens: number;
  output_tokens: number;
  /** Of the calls whose price is known. */
  usd: number;
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
  text: string;
  /** `open`, `doing` or `done`. */
  state: string;
};

/** How something is told. */
export type Tone = ("note" | "warning" | "talk");

/** What may be answered to an approval. */
export type Word = (("once" | "no") | "session" | "edits" | "rule");
