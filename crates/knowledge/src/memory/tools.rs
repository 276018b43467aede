//! Tools and files that everybody knows by name. Pure.

/// Names that mean a tool or a file wherever they stand, and are their own tag.
const NAMES: &[&str] = &[
    "airflow", "alembic", "angular", "ansible", "apache", "apk", "apt", "apt-get", "argocd",
    "asdf", "asyncio", "aws", "azure", "babel", "bash", "bazel", "bitbucket", "bower", "brew",
    "buildkit", "bun", "bundler", "cargo", "cargo-lock", "cargo-toml", "celery", "circleci",
    "clang", "clippy", "cloudflare", "cmake", "composer", "conda", "containerd", "cors", "cron",
    "crontab", "curl", "cypress", "dbt", "deno", "django", "dnf", "docker", "docker-compose",
    "dockerfile", "dockerignore", "dotnet", "elasticsearch", "electron", "eslint", "etcd",
    "fastapi", "ffmpeg", "firebase", "flake8", "flask", "flutter", "gcc", "gcloud", "gdb", "git",
    "gitattributes", "github", "gitignore", "gitlab", "golang", "gradle", "grafana", "graphql",
    "grep", "grpc", "gunicorn", "haproxy", "helm", "heroku", "hibernate", "homebrew", "htaccess",
    "husky", "iptables", "istio", "java", "jenkins", "jenkinsfile", "jest", "jq", "junit",
    "jupyter", "jwt", "k3s", "kafka", "kubectl", "kubernetes", "kustomize", "laravel", "lerna",
    "libssl", "lldb", "makefile", "mariadb", "maven", "memcached", "minikube", "mocha", "mockito",
    "mongodb", "mypy", "mysql", "netlify", "nextjs", "nginx", "nix", "node-modules", "nodejs",
    "nodemon", "npm", "npmrc", "npx", "nuget", "numpy", "nvm", "oauth", "openssl", "package-json",
    "package-lock", "pandas", "pg_dump", "php", "pip", "pipenv", "playwright", "pnpm", "pnpm-lock",
    "podman", "poetry", "postgres", "prettier", "prisma", "prometheus", "protobuf", "protoc",
    "psql", "pulumi", "pydantic", "pyenv", "pylint", "pyproject", "pytest", "python", "pytorch",
    "rabbitmq", "rails", "react", "rebar3", "redis", "rollup", "rsync", "rubocop", "ruby", "ruff",
    "rustc", "rustfmt", "rustup", "s3", "sbt", "scp", "sed", "selenium", "sentry", "spark",
    "sqlalchemy", "sqlite", "ssh", "storybook", "svelte", "systemctl", "systemd", "tailwind",
    "tar", "tensorflow", "terraform", "tmux", "tokio", "traefik", "tsc", "tsconfig", "typescript",
    "uvicorn", "valgrind", "vercel", "vite", "vitest", "vscode", "vue", "webpack", "websocket",
    "wget", "xcode", "xcodebuild", "yarn", "yarn-lock", "zsh",
];

/// Other names of those.
const ALIASES: &[(&str, &str)] = &[
    (".dockerignore", "dockerignore"),
    (".gitattributes", "gitattributes"),
    (".gitignore", "gitignore"),
    (".gitlab-ci.yml", "gitlab"),
    (".htaccess", "htaccess"),
    (".npmrc", "npmrc"),
    (".nvmrc", "nvm"),
    ("authorized_keys", "ssh"),
    ("build.gradle", "gradle"),
    ("build.gradle.kts", "gradle"),
    ("cargo.lock", "cargo-lock"),
    ("cargo.toml", "cargo-toml"),
    ("cmakelists.txt", "cmake"),
    ("compose.yaml", "docker-compose"),
    ("compose.yml", "docker-compose"),
    ("composer.json", "composer"),
    ("composer.lock", "composer"),
    ("gemfile", "bundler"),
    ("gemfile.lock", "bundler"),
    ("go.mod", "go-mod"),
    ("go.sum", "go-mod"),
    ("gradlew", "gradle"),
    ("k8s", "kubernetes"),
    ("known_hosts", "ssh"),
    ("mvn", "maven"),
    ("mvnw", "maven"),
    ("next.js", "nextjs"),
    ("node.js", "nodejs"),
    ("node_modules", "node-modules"),
    ("package.json", "package-json"),
    ("pip3", "pip"),
    ("pom.xml", "maven"),
    ("postgresql", "postgres"),
    ("pyproject.toml", "pyproject"),
    ("python3", "python"),
    ("requirements.txt", "pip"),
    ("sqlite3", "sqlite"),
    ("ssh-keygen", "ssh"),
    ("vite.config.ts", "vite"),
    ("webpack.config.js", "webpack"),
    ("yarn.lock", "yarn-lock"),
];

/// The tag of a word that names a tool or a file, with or without the end of its name
/// (`package-lock.json`), a version (`python3.11`), or more words (`ingress-nginx`).
pub(super) fn tag(word: &str) -> Option<&'static str> {
    // None of the names is longer.
    if word.len() > 32 {
        return None;
    }
    let word = word.to_ascii_lowercase();
    known(&word)
        .or_else(|| known(word.rsplit_once('.')?.0))
        .or_else(|| known(without_version(&word)))
        .or_else(|| word.split('-').find_map(known))
}

/// The name of a program as it is known best.
pub(super) fn program(name: &str) -> &str {
    known(name).or_else(|| known(without_version(name))).unwrap_or(name)
}

fn known(word: &str) -> Option<&'static str> {
    if let Ok(index) = NAMES.binary_search(&word) {
        return NAMES.get(index).copied();
    }
    let alias = ALIASES.binary_search_by(|(alias, _)| (*alias).cmp(word)).ok()?;
    ALIASES.get(alias).map(|(_, tag)| *tag)
}

fn without_version(name: &str) -> &str {
    name.trim_end_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        assert_eq!(tag(word), expected, "{word}");
    }

    #[test]
    fn lists_can_be_searched() {
        assert!(ALIASES.is_sorted());
        assert_eq!(NAMES.windows(2).find(|pair| pair[0] >= pair[1]), None);
        assert!(
            NAMES.iter().chain(ALIASES.iter().map(|(name, _)| name)).all(|name| name.len() <= 32)
        );
    }

    #[test]
    fn tools_and_files() {
        check("package-lock.json", Some("package-lock"));
        check("package-lock", Some("package-lock"));
        check("Dockerfile", Some("dockerfile"));
        check("Dockerfile.dev", Some("dockerfile"));
        check(".gitignore", Some("gitignore"));
        check("NPM", Some("npm"));
        check("python3.11", Some("python"));
        check("PostgreSQL", Some("postgres"));
        check("Cargo.lock", Some("cargo-lock"));
        check("node_modules", Some("node-modules"));
        check("ingress-nginx", Some("nginx"));
        check("openssl-sys", Some("openssl"));
        for word in ["", ".", "the", "make", "go", "3.11", "json", "日本", &"x".repeat(5_000)] {
            check(word, None);
        }
    }
}
