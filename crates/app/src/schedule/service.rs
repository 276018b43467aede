//! The gateway as a service of the user's systemd: begun when they log in, begun again when it falls.

use std::path::{Path, PathBuf};

use super::{
    Outcome, Place, ScheduleError, Scheduler,
    calls::{self, Crontab},
    crontab, systemd, units,
};

/// The unit's name without its ending, and with it.
const UNIT: &str = "elophanto-gateway";
const SERVICE: &str = "elophanto-gateway.service";

/// The gateway, as systemd starts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayUnit {
    /// Where it is started: the repository that it serves unless the settings say which.
    pub folder: PathBuf,
    /// The program elophanto, absolute.
    pub program: PathBuf,
}

impl Scheduler<'_> {
    /// Has systemd start the gateway, now and whenever the user logs in.
    ///
    /// # Errors
    /// When systemd does not answer, another one is there and is not to be replaced, or a step failed;
    /// then everything is as it was.
    pub fn add_gateway(&self, unit: &GatewayUnit, replace: bool) -> Result<Outcome, ScheduleError> {
        let text = systemd::gateway_unit(&unit.program, &unit.folder)?;
        let _lock = self.locked()?;
        if let Err(cause) = calls::probe(self.run) {
            let line = matches!(Crontab::read(self.run), Crontab::Text(_))
                .then(|| crontab::gateway_line(&unit.program, &unit.folder));
            return Err(ScheduleError::NoSystemd { cause: cause.to_string(), line });
        }
        let path = units::service(&self.units, UNIT);
        let before = units::read_ours(&path)?;
        let outcome = match &before {
            None => Outcome::Added,
            Some(there) if *there == text.as_bytes() => Outcome::AlreadyThere,
            Some(_) if replace => Outcome::Replaced,
            Some(_) => {
                let folder = unit.folder.clone();
                return Err(ScheduleError::Taken { name: "gateway".to_owned(), folder });
            }
        };
        units::put_one(&self.units, UNIT, Some(text.as_bytes()))?;
        match calls::enable(self.run, SERVICE, outcome == Outcome::Replaced) {
            Ok(()) => Ok(outcome),
            Err(cause) => {
                if before.is_none() {
                    let _ = calls::disable(self.run, SERVICE);
                }
                units::put_one(&self.units, UNIT, before.as_deref())?;
                let _ = calls::reload(self.run);
                Err(cause)
            }
        }
    }

    /// Takes it out and ends it; whether there was one.
    ///
    /// # Errors
    /// When a step failed.
    pub fn remove_gateway(&self) -> Result<bool, ScheduleError> {
        let _lock = self.locked()?;
        if units::read_ours(&units::service(&self.units, UNIT))?.is_none() {
            return Ok(false);
        }
        calls::disable(self.run, SERVICE)?;
        units::put_one(&self.units, UNIT, None)?;
        let _ = calls::reload(self.run);
        Ok(true)
    }

    /// The one that is there.
    ///
    /// # Errors
    /// When it cannot be read, or is not as we wrote it.
    pub fn gateway(&self) -> Result<Option<GatewayUnit>, ScheduleError> {
        let path = units::service(&self.units, UNIT);
        let Some(bytes) = units::read_ours(&path)? else { return Ok(None) };
        let (program, folder) =
            systemd::parse_gateway(&bytes).ok_or(ScheduleError::Unclear(Place::Unit { path }))?;
        Ok(Some(GatewayUnit { folder: Path::new(&folder).to_owned(), program: program.into() }))
    }
}
