#!/usr/bin/env bash
# Prints the Homebrew formula of a release: formula.sh VERSION SHA256SUMS. Not tried: needs macOS or brew.
set -euo pipefail
version=$1 sums=$2
where=$(sed -n 's/^repository = "\(.*\)"/\1/p' "$(dirname "$0")/../../Cargo.toml")

archive() {
    local name=elophanto-$version-$1.tar.gz sum
    sum=$(awk -v name="$name" '$2 == name { print $1 }' "$sums")
    [ -n "$sum" ] || { echo "$sums does not name $name" >&2; return 1; }
    printf '      url "%s/releases/download/v%s/%s"\n      sha256 "%s"' "$where" "$version" "$name" "$sum"
}

# One to a line: of several only the last can fail.
mac_arm=$(archive aarch64-apple-darwin)
mac_intel=$(archive x86_64-apple-darwin)
linux_arm=$(archive aarch64-unknown-linux-gnu)
linux_intel=$(archive x86_64-unknown-linux-gnu)
cat <<RUBY
class Elophanto < Formula
  desc "Turns a git repository's Markdown into a knowledge base"
  homepage "$where"
  version "$version"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
$mac_arm
    end
    on_intel do
$mac_intel
    end
  end
  on_linux do
    on_arm do
$linux_arm
    end
    on_intel do
$linux_intel
    end
  end

  def install
    bin.install "bin/elophanto"
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/elophanto"
    zsh_completion.install "share/zsh/site-functions/_elophanto"
    fish_completion.install "share/fish/vendor_completions.d/elophanto.fish"
    pkgshare.install "share/elophanto/hooks"
    doc.install Dir["share/doc/elophanto/*"]
  end

  test do
    system "git", "init"
    (testpath/"note.md").write "# Keys\n\nThe signing keys are rotated every quarter.\n"
    assert_match "note.md", shell_output("#{bin}/elophanto search 'how often are keys rotated'")
  end
end
RUBY
