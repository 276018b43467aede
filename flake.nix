# `nix run .` and `nix profile install .`: built from source. Not tried: nix is not where this was written.
{
  description = "Turns a git repository's Markdown into a knowledge base that people and AI agents share";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      package = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "elophanto";
          version = package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          buildType = "dist";
          # The tests want a git identity, a network of their own and a time of half an hour.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            export HOME=$TMPDIR
            for shell in bash zsh fish; do
              $out/bin/elophanto completions $shell >elophanto.$shell
            done
            installShellCompletion elophanto.{bash,zsh,fish}
            $out/bin/elophanto man >elophanto.1
            installManPage elophanto.1
          '';
          meta = {
            description = "Knowledge base out of a git repository's Markdown";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "elophanto";
          };
        };
      });
    };
}
