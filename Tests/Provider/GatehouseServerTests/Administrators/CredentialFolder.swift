import Foundation
import GatehouseBase

/// A folder for credentials' files, which goes with it.
final class CredentialFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/gatehouse-credentials-" + SystemRandomSource().identifier()

  init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
