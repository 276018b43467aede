//! Which program listens at a port of this machine, as far as the system tells this user.

use std::{fs, path::Path};

use elophanto_base::platform::identity;

/// What the system calls a socket that listens.
const LISTENS: &str = "0A";

/// Number and name of the process that listens at a port.
pub fn listener(port: u16) -> Option<(u32, String)> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let inodes: Vec<u64> = tables
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .flat_map(|table| inodes(&table, port))
        .collect();
    let processes = fs::read_dir("/proc").ok()?.filter_map(Result::ok);
    processes
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .find(|(_, folder): &(u32, _)| holds(folder, &inodes))
        .map(|(pid, folder)| {
            let name = fs::read_to_string(folder.join("comm")).unwrap_or_default();
            (pid, name.trim().to_owned())
        })
}

/// Sockets that listen at a port, of a table of the system.
fn inodes(table: &str, port: u16) -> Vec<u64> {
    let row = |line: &str| {
        let columns: Vec<_> = line.split_whitespace().collect();
        let (address, state) = (columns.get(1)?, columns.get(3)?);
        let at = u16::from_str_radix(address.rsplit(':').next()?, 16).ok()?;
        (*state == LISTENS && at == port).then(|| columns.get(9)?.parse().ok())?
    };
    table.lines().skip(1).filter_map(row).collect()
}

fn holds(process: &Path, inodes: &[u64]) -> bool {
    let Ok(files) = fs::read_dir(process.join("fd")) else { return false };
    files.filter_map(Result::ok).any(|file| {
        let is_socket = |path: &Path| path.to_string_lossy().starts_with("socket:");
        fs::read_link(file.path()).is_ok_and(|to| is_socket(&to))
            && fs::metadata(file.path())
                .is_ok_and(|it| identity(&it).is_some_and(|(_, inode)| inodes.contains(&inode)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_found() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   0: 0100007F:495D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1\n   1: 0100007F:495D 0100007F:1234 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1\n";
        assert_eq!(inodes(table, 0x495D), [4711]);
        assert!(inodes(table, 1).is_empty() && inodes("", 1).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn processes_are_found() {
        let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let found = listener(held.local_addr().unwrap().port());
        assert_eq!(found.map(|(pid, _)| pid), Some(std::process::id()));
    }
}
