//! How Lance comes to the stores of clouds: over the builders of `object_store`, with the keys that
//! were handed in and the HTTP client of this program.

use std::{str::FromStr, sync::Arc, time::Duration};

use async_trait::async_trait;
use elophanto_net::objects;
use lance::io::{ObjectStore, ObjectStoreParams};
use lance_io::object_store::{
    DEFAULT_CLOUD_IO_PARALLELISM, DEFAULT_DOWNLOAD_RETRY_COUNT, ObjectStoreProvider,
};
use object_store::{
    BackoffConfig, DynObjectStore, RetryConfig, aws::AmazonS3Builder, azure::MicrosoftAzureBuilder,
    gcp::GoogleCloudStorageBuilder,
};
use url::Url;

use super::{http::Connector, keys::Keys};

/// How often a request is tried again, and until when.
const RETRIES: usize = 6;
const RETRY_FOR: Duration = Duration::from_secs(30);
/// Endpoints whose uploads are of parts of one size.
const EVEN_PARTS: &str = "r2.cloudflarestorage.com";

elophanto_base::named! {
    /// Whose stores they are.
    pub(super) enum Cloud, scheme {
        S3 = "s3",
        Google = "gs",
        Azure = "az",
    }
}

/// Opens the buckets of one cloud.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) cloud: Cloud,
    pub(super) keys: Keys,
}

impl Provider {
    fn store(&self, bucket: &str) -> object_store::Result<Arc<DynObjectStore>> {
        let retry = RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: RETRIES,
            retry_timeout: RETRY_FOR,
        };
        match self.cloud {
            Cloud::S3 => {
                let builder = AmazonS3Builder::new().with_bucket_name(bucket);
                let builder = self.told("AWS_", builder, |it, key, said| it.with_config(key, said));
                let builder = builder.with_allow_http(self.is_open()?).with_retry(retry);
                Ok(Arc::new(builder.with_http_connector(Connector).build()?))
            }
            Cloud::Google => {
                let builder = GoogleCloudStorageBuilder::new().with_bucket_name(bucket);
                let builder =
                    self.told("GOOGLE_", builder, |it, key, said| it.with_config(key, said));
                let builder = builder.with_retry(retry);
                Ok(Arc::new(builder.with_http_connector(Connector).build()?))
            }
            Cloud::Azure => {
                let builder = MicrosoftAzureBuilder::new().with_container_name(bucket);
                let builder =
                    self.told("AZURE_", builder, |it, key, said| it.with_config(key, said));
                let builder = builder.with_allow_http(self.is_open()?).with_retry(retry);
                Ok(Arc::new(builder.with_http_connector(Connector).build()?))
            }
        }
    }

    /// The builder with all that was said for this cloud. A name that it does not know is another program's.
    fn told<B, K: FromStr>(&self, prefix: &str, builder: B, with: fn(B, K, &str) -> B) -> B {
        self.keys.of_cloud(prefix).fold(builder, |builder, (name, said)| match name.parse() {
            Ok(key) => with(builder, key, said),
            Err(_) => builder,
        })
    }

    fn endpoint(&self) -> Option<&str> {
        let name = |name| self.keys.get(name);
        match self.cloud {
            Cloud::S3 => name("AWS_ENDPOINT_URL_S3").or_else(|| name("AWS_ENDPOINT_URL")),
            Cloud::Google => None,
            Cloud::Azure => name("AZURE_STORAGE_ENDPOINT"),
        }
    }

    /// Whether its endpoint is spoken to without encryption.
    fn is_open(&self) -> object_store::Result<bool> {
        let is_s3 = matches!(self.cloud, Cloud::S3);
        let allows = is_s3 && self.keys.get("AWS_ALLOW_HTTP") == Some("true");
        let is_open = self.endpoint().map(|endpoint| objects::is_open(endpoint, allows));
        is_open.transpose().map(|is_open| is_open.unwrap_or(false)).map_err(|cause| {
            object_store::Error::Generic { store: self.cloud.scheme(), source: Box::new(cause) }
        })
    }
}

#[async_trait]
impl ObjectStoreProvider for Provider {
    async fn new_store(&self, base: Url, params: &ObjectStoreParams) -> lance::Result<ObjectStore> {
        let store = self.store(base.host_str().unwrap_or_default())?;
        let is_even = self.endpoint().is_some_and(|endpoint| endpoint.contains(EVEN_PARTS));
        Ok(ObjectStore::new(
            store,
            base,
            params.block_size,
            None,
            is_even,
            true,
            DEFAULT_CLOUD_IO_PARALLELISM,
            DEFAULT_DOWNLOAD_RETRY_COUNT,
            None,
        ))
    }
}
