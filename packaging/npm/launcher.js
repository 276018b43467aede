#!/usr/bin/env node
// Starts the program of the package for this platform, and ends as the program ends.
"use strict";
const { spawn } = require("child_process");
const os = require("os");
const tty = require("tty");

// Node was linked with glibc where its report names glibc's version.
function libc() {
  if (process.platform !== "linux") return [];
  return [process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl"];
}

const name = "@elophanto/" + [process.platform, process.arch, ...libc()].join("-");
let program;
try {
  program = require.resolve(name + "/bin/elophanto");
} catch {
  console.error(
    `elophanto: the package ${name} is not installed: either there is none for this platform, ` +
      "or optional dependencies were left out (npm install --include=optional elophanto)",
  );
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  // A terminal sends SIGINT and SIGQUIT to both already; then node only has to stay. A pipe has one of three.
  const ours = ["SIGTERM", "SIGHUP"].includes(signal) || ![0, 1, 2].some((end) => tty.isatty(end));
  process.on(signal, () => ours && child.kill(signal));
}
child.on("error", (error) => {
  console.error(`elophanto: ${program} does not start: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + os.constants.signals[signal] : code);
});
