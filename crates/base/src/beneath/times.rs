//! Whether what a folder's times say can be relied on.

use std::path::Path;

/// Whether the file system of a folder tells by its folders' times when an entry comes, goes or gets another
/// name. Those of a machine's own disks do; others may not.
#[cfg(target_os = "linux")]
pub fn tells_changes(folder: &Path) -> bool {
    /// Ext4, Btrfs, XFS, F2FS, ZFS, overlays, and what is kept in memory, as `statfs(2)` has them.
    const KNOWN: [u32; 7] =
        [0xEF53, 0x9123_683E, 0x5846_5342, 0xF2F5_2010, 0x2FC1_2FC1, 0x794C_7630, 0x0102_1994];
    rustix::fs::statfs(folder).is_ok_and(|found| KNOWN.contains(&(found.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
pub fn tells_changes(_: &Path) -> bool {
    false
}
