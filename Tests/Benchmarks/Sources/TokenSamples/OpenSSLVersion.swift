import CRaw

/// The version of the OpenSSL that this process runs with, such as 3.0.19.
public var openSSLVersion: String { String(cString: raw_openssl_version()) }
