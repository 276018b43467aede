//! Keys and settings of object stores, under the names that the programs of the clouds use.

use std::{collections::BTreeMap, fmt};

/// Variables that are looked at, of each kind of store; nothing else of the environment is.
pub const VARIABLES: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL_STS",
    "AWS_ALLOW_HTTP",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_REQUEST_PAYER",
    "AWS_SERVER_SIDE_ENCRYPTION",
    "AWS_SSE_KMS_KEY_ID",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_CLIENT_ID",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_STORAGE_TENANT_ID",
    "AZURE_CLIENT_ID",
    "AZURE_TENANT_ID",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_ENDPOINT",
];

/// What the user's environment says of them.
#[derive(Clone, Default)]
pub struct Keys(BTreeMap<&'static str, String>);

impl Keys {
    /// Asks for each of the variables; an empty one counts as none.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let said = |name: &&'static str| Some((*name, variable(name)?));
        Self(VARIABLES.iter().filter_map(said).filter(|(_, said)| !said.is_empty()).collect())
    }

    /// Those of a cloud, by the beginning of their names, in lower case.
    pub(super) fn of_cloud(&self, prefix: &str) -> impl Iterator<Item = (String, &str)> {
        let own = self.0.iter().filter(move |(name, _)| name.starts_with(prefix));
        own.map(|(name, said)| (name.to_ascii_lowercase(), said.as_str()))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl fmt::Debug for Keys {
    /// Names alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
