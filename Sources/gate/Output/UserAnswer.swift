import Gatehouse
import GatehouseBase

extension User {
  /// `ada@example.com (UID)`, for people to read.
  var line: String {
    let profile = profile
    let name = profile.email ?? (profile.isAnonymous ? "anonymous" : profile.displayName ?? "no address")
    return "\(name.shown) (\(uid.shown))"
  }

  /// What is known of the user, for programs; unknown values are omitted.
  var json: JSONObject {
    let profile = profile
    var json: JSONObject = ["uid": .string(uid)]
    json["email"] = profile.email.map(JSONValue.string)
    json["emailVerified"] = .bool(profile.isEmailVerified)
    json["displayName"] = profile.displayName.map(JSONValue.string)
    json["photoURL"] = profile.photoURL.map(JSONValue.string)
    json["phoneNumber"] = profile.phoneNumber.map(JSONValue.string)
    json["anonymous"] = .bool(profile.isAnonymous)
    json["providers"] = .array(profile.providers.map { .string($0.providerID) })
    return json
  }
}
