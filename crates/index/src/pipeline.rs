//! From jobs to segments: the one way in which anything becomes searchable.
//!
//! Owns the order of it: which tables and which cache vectors are looked up in, cutting, embedding
//! and inverting side by side, and what of it goes into the next manifest. It refuses to know what
//! the documents are and where the view lies.

use std::{path::PathBuf, sync::Arc};

use super::{
    Context, Progress, Report,
    draft::Draft,
    segments::{Job, Known, Workshop, build},
    source::Source,
    vectors::{Closed, Vectors},
};
use crate::store::{
    registry::{BadTable, Registry},
    view::{Built, Staged, Staging},
};
use elophanto_repo::Objects;

/// What a run of the pipeline works on.
pub struct Run<'a> {
    pub context: &'a Context<'a>,
    pub source: &'a dyn Source,
    /// Documents that need no cutting.
    pub known: &'a Known,
    /// The tables that vectors are looked up in.
    pub registry: Registry,
    /// Where contents that git holds are read; `None` if no job asks for one.
    pub objects: Option<&'a Objects>,
    /// Folder for new files; without it, everything is built in memory.
    pub staging: Staged,
    /// When the run began, in nanoseconds since 1970.
    pub now: i64,
    pub progress: Progress<'a>,
}

/// What came of it.
pub struct Done {
    pub built: Vec<Built>,
    pub registry: Registry,
    /// Tables that were passed over.
    pub bad: Vec<BadTable>,
    /// Files of the vector cache that were passed over.
    pub damaged: Vec<PathBuf>,
}

impl Run<'_> {
    /// Does all jobs, adds what comes of them to the draft and says in `report` what was read and
    /// embedded.
    pub fn work(self, draft: &mut Draft, jobs: Vec<(Job, u64)>, report: &mut Report) -> Done {
        let Self { context, source, known, registry, objects, staging, now, progress } = self;
        let vectors = Vectors::new(context, &draft.segments, registry);
        let fingerprint = context.embedder.fingerprint();
        let groups = build(
            &Workshop {
                root: source.root(context.repository),
                max_file_bytes: source.max_file_bytes(context),
                source,
                chunker: context.chunker(),
                analyzer: context.analyzer,
                fingerprint,
                dimension: context.embedder.dimension(),
                vectors: &vectors,
                known,
                segments: &draft.segments,
                objects,
                staging: staging.as_deref().ok().map(Staging::path),
                progress,
            },
            jobs,
        );
        let Closed { registry, bad, damaged } = vectors.close();
        let mut built = Vec::new();
        for group in groups {
            report.embedded += group.embedded;
            report.read += group.read;
            if let Some(failure) = group.failure {
                report.notices.push(format!("some vectors are missing: {failure}"));
            }
            let (loaded, unwritten) = group.loaded.unzip();
            let staged =
                unwritten.flatten().map_or_else(|| staging.clone(), |it| Err(Arc::new(it)));
            built.extend(loaded.iter().map(|loaded| (Arc::clone(loaded), staged.clone())));
            draft.take(loaded, group.outcomes, now);
        }
        Done { built, registry, bad, damaged }
    }
}
