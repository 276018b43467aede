//! What cannot be read or reached.

use std::{
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram, UnixListener},
    },
};

use super::world::{KEY, World, kinds};

#[test]
fn key_material_is_not_read() {
    for narrow in kinds() {
        let world = World::new(narrow);
        for line in [
            "cat .env",
            "cat ../home/.ssh/id_ed25519",
            "cat ../home/.cargo/credentials.toml",
            "cat ../outside/key",
            "ln -s ../.env docs/e; cat docs/e",
            "ln .env docs/e2; cat docs/e2",
            "mv .env docs/e3; cat docs/e3",
            "cp .env docs/e4; cat docs/e4",
            "chmod 777 .env; cat .env",
            "mv ../home ../home2; cat ../home2/.ssh/*",
            "cat /proc/self/root$PWD/.env /proc/1/root$PWD/.env /proc/*/root$PWD/.env",
            "umount .env; umount -l $PWD/.env; cat .env",
            "grep -r top-secret . .. 2>&1 | grep -v rchived",
            "tar cf - . ../home | cat",
            "cat /proc/*/environ",
        ] {
            let ended = world.shell(line);
            for said in [&ended.stdout, &ended.stderr] {
                assert!(!String::from_utf8_lossy(said).contains(KEY), "{narrow} {line}");
            }
        }
        let ended = world.shell("cat /etc/shadow");
        assert!(ended.stdout.is_empty(), "{narrow}");
        assert_eq!(std::fs::read_to_string(world.path("root/.env")).unwrap(), KEY);
    }
}

#[test]
fn sockets_are_out_of_reach() {
    for narrow in kinds() {
        for network in [false, true] {
            let mut world = World::new(narrow);
            world.policy.network = network;
            let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = tcp.local_addr().unwrap().port();
            let inside = world.path("root/docs/agent");
            let _stream = UnixListener::bind(&inside).unwrap();
            let _datagram = UnixDatagram::bind(world.path("root/docs/log")).unwrap();
            let name = format!("fence-{port}");
            let abstracted = SocketAddr::from_abstract_name(&name).unwrap();
            let _hidden = UnixListener::bind_addr(&abstracted).unwrap();
            let script = format!(
                "use Socket; my $p = $ARGV[0];
                sub attempt {{ my ($n, $ok) = @_; print $n, $ok ? 1 : 0, ' ' }}
                attempt('tcp', socket(A, PF_INET, SOCK_STREAM, 0) && connect(A, sockaddr_in({port}, INADDR_LOOPBACK)));
                attempt('udp', socket(B, PF_INET, SOCK_DGRAM, 0));
                attempt('unix', socket(C, PF_UNIX, SOCK_STREAM, 0) && connect(C, sockaddr_un('docs/agent')));
                attempt('abstract', socket(D, PF_UNIX, SOCK_STREAM, 0) && connect(D, sockaddr_un(\"\\0{name}\")));
                attempt('pair', socketpair(E, F, PF_UNIX, SOCK_STREAM, 0));
                attempt('datagrams', socketpair(G, H, PF_UNIX, SOCK_DGRAM, 0) && connect(G, sockaddr_un('docs/log')));
                attempt('packet', socket(I, 17, SOCK_RAW, 0));
                attempt('vsock', socket(J, 40, SOCK_STREAM, 0));
                attempt('netlink', socket(K, 16, SOCK_RAW, 9));"
            );
            let ended = world.argv(&["/usr/bin/perl", "-e", &script], b"").unwrap();
            let ip = u8::from(network);
            let expected = format!(
                "tcp{ip} udp{ip} unix0 abstract0 pair1 datagrams0 packet0 vsock0 netlink0 "
            );
            assert_eq!(String::from_utf8_lossy(&ended.stdout), expected, "{narrow} {ended:?}");
        }
    }
}

#[test]
fn calls_to_the_kernel_are_refused() {
    // Numbers of x86_64; what is asked for is nonsense but for the call itself.
    #[cfg(target_arch = "x86_64")]
    for narrow in kinds() {
        let world = World::new(narrow);
        let script = "
            for ([101,'ptrace'],[311,'process_vm_writev'],[250,'keyctl'],[248,'add_key'],
                 [272,'unshare'],[308,'setns'],[165,'mount'],[321,'bpf'],[298,'perf'],
                 [323,'userfaultfd'],[246,'kexec'],[161,'chroot'],[429,'move_mount'],
                 [16,'tiocsti'],[56,'clone'],[0x40000000 + 39,'x32'],[90,'chmod']) {
                my ($n, $w) = @$_; my @a = (0) x 5;
                @a = (0, 0x5412, 0) if $w eq 'tiocsti';
                @a = (0x10000000 | 17, 0, 0, 0, 0) if $w eq 'clone';
                @a = ('docs/a.md', 04755) if $w eq 'chmod';
                $! = 0; my $r = syscall($n, @a); print \"$w:\", $!+0, ' ' if $r != -1 || $! != 1;
            }
            for ([425,'io_uring'],[435,'clone3'],[319,'memfd'],[437,'openat2']) {
                my ($n, $w) = @$_; $! = 0; my $r = syscall($n, 0, 0, 0, 0, 0);
                print \"$w:\", $!+0, ' ' if $r != -1 || $! != 38;
            }
            print 'end'";
        let ended = world.argv(&["/usr/bin/perl", "-e", script], b"").unwrap();
        assert_eq!(String::from_utf8_lossy(&ended.stdout), "end", "{narrow} {ended:?}");
    }
}

#[test]
fn nothing_is_inherited() {
    for narrow in kinds() {
        let world = World::new(narrow);
        let ended = world.shell("ls /proc/self/fd | tr '\\n' ' '; env | sort | cut -d= -f1 | tr '\\n' ' '; grep -E '^(Cap(Prm|Eff|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t\\n'");
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(said.starts_with("0 1 2 3 "), "{said}");
        assert!(!said.contains("SSH"), "{said}");
        assert!(said.contains("CapPrm:0000000000000000CapEff:0000000000000000CapAmb:0000000000000000NoNewPrivs:1Seccomp:2"), "{said}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn other_processes_are_out_of_reach() {
    // Signal 0 asks whether a signal may be sent, and sends none.
    for narrow in kinds() {
        let world = World::new(narrow);
        // Numbers mean something else in the full sandbox: there the first process is tried.
        let other = if narrow { std::process::id() } else { 1 };
        let script = format!(
            "sub may {{ print syscall(62, $_[0] + 0, 0) == 0 ? 1 : 0 }}
            may({other}); may(getppid); may(-{other}); may(-1); may($$); may(0);
            print open(F, '/proc/{other}/environ') && defined(<F>) ? 1 : 0;
            print -e '/proc/{other}/root/etc' ? 1 : 0;"
        );
        let ended = world.argv(&["/usr/bin/perl", "-e", &script], b"").unwrap();
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert_eq!(said, "00001100", "{narrow} {ended:?}");
    }
}

#[test]
fn the_work_tree_is_not_hidden_by_what_is_around_it() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        world.policy.hidden.push(world.base.clone());
        assert_eq!(world.shell("cat README.md; cat .env").stdout, b"# Read me\n", "{narrow}");
    }
}

/// The common folder for temporary files is the private one.
#[test]
fn temporary_files_are_private() {
    let world = World::new(false);
    let ended = world.shell("echo x > /tmp/fence-note && cat $TMPDIR/fence-note");
    assert_eq!(ended.stdout, b"x\n", "{ended:?}");
    assert!(world.path("temporary/fence-note").exists());
    assert!(!std::path::Path::new("/tmp/fence-note").exists());
}

/// In the place of a file stands another one; where that cannot be, nothing is read.
#[test]
fn a_covered_file_says_something_else() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        std::fs::write(world.path("root/.git/config"), KEY).unwrap();
        std::fs::write(world.path("outside/copy"), "[core]\n\tclean = true\n").unwrap();
        world.policy.covered = vec![(world.path("root/.git/config"), world.path("outside/copy"))];
        for line in [
            "cat .git/config",
            "cp .git/config docs/c; cat docs/c",
            "ln .git/config docs/d; cat docs/d",
            "umount .git/config; cat .git/config",
            "mv .git moved; cat moved/config",
            "cat /proc/self/root$PWD/.git/config",
            "grep -r top-secret . .git",
        ] {
            let ended = world.shell(line);
            for said in [&ended.stdout, &ended.stderr] {
                assert!(!String::from_utf8_lossy(said).contains(KEY), "{narrow} {line}");
            }
        }
        let shown = world.shell("cat .git/config; echo evil >.git/config");
        let said = String::from_utf8_lossy(&shown.stdout);
        assert_eq!(said.contains("clean = true"), !narrow, "{said}");
        let kept = |name: &str| std::fs::read_to_string(world.path(name)).unwrap();
        assert_eq!(kept("root/.git/config"), KEY);
        assert_eq!(kept("outside/copy"), "[core]\n\tclean = true\n");
    }
}
