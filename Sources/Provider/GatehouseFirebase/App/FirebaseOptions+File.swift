import Foundation
import GatehouseSystem

extension FirebaseOptions {
  /// Reads a `GoogleService-Info.plist`; `nil` if the file cannot be read or is none.
  public convenience init?(contentsOfFile plistPath: String) { self.init(plist: plistPath) }

  /// The options of the `GoogleService-Info.plist` beside the program; `nil` if there is none.
  public static func defaultOptions() -> FirebaseOptions? {
    FirebaseOptions(plist: Bundle.main.bundlePath + "/GoogleService-Info.plist")
  }

  private convenience init?(plist path: String) {
    guard let bytes = Self.bytes(of: path),
      let info = try? PropertyListDecoder().decode(ServiceInfo.self, from: Data(bytes))
    else { return nil }
    self.init(googleAppID: info.googleAppID, gcmSenderID: info.gcmSenderID ?? "")
    apiKey = info.apiKey
    bundleID = info.bundleID ?? ""
    clientID = info.clientID
    projectID = info.projectID
    databaseURL = info.databaseURL
    storageBucket = info.storageBucket
  }

  private static func bytes(of path: String) -> [UInt8]? {
    do throws(SystemError) { return try OpenFile(path).readAll(limit: 1 << 20) } catch { return nil }
  }
}

/// The members of a `GoogleService-Info.plist` that `FirebaseOptions` has.
private struct ServiceInfo: Decodable {
  let googleAppID: String
  let gcmSenderID: String?
  let apiKey: String?
  let bundleID: String?
  let clientID: String?
  let projectID: String?
  let databaseURL: String?
  let storageBucket: String?

  enum CodingKeys: String, CodingKey {
    case googleAppID = "GOOGLE_APP_ID"
    case gcmSenderID = "GCM_SENDER_ID"
    case apiKey = "API_KEY"
    case bundleID = "BUNDLE_ID"
    case clientID = "CLIENT_ID"
    case projectID = "PROJECT_ID"
    case databaseURL = "DATABASE_URL"
    case storageBucket = "STORAGE_BUCKET"
  }
}
