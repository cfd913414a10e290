import Foundation
import GatehouseBase
import GatehouseSystem

/// The places where Google's tools leave credentials.
struct DefaultPlaces: Sendable {
  /// Looks up an environment variable.
  let variable: @Sendable (String) -> String?

  static let ofThisProcess = DefaultPlaces { name in ProcessInfo.processInfo.environment[name] }

  /// Reads the first credential found. Blocks: for background threads only.
  func identity() throws(AuthError) -> Identity {
    if let path = named("GOOGLE_APPLICATION_CREDENTIALS") { return try Identity(CredentialFile(path: path)) }
    if let path = wellKnownFile, try isThere(path) { return try Identity(CredentialFile(path: path)) }
    return .metadata(MetadataServer(host: named("GCE_METADATA_HOST") ?? "metadata.google.internal"))
  }

  /// The project that the environment names.
  var projectID: String? { named("GOOGLE_CLOUD_PROJECT") ?? named("GCLOUD_PROJECT") }

  private var wellKnownFile: String? {
    let folder = named("CLOUDSDK_CONFIG") ?? named("HOME").map { $0 + "/.config/gcloud" }
    return folder.map { $0 + "/application_default_credentials.json" }
  }

  private func isThere(_ path: String) throws(AuthError) -> Bool {
    do throws(SystemError) { return try FileStatus.at(path, followingLink: true) != nil } catch {
      throw AuthError(.invalidArgument, "the credential \(path.printable()) cannot be read: \(error)")
    }
  }

  private func named(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
}
