import Foundation
import GatehouseFirebase

/// A row of a screen, for an account that the app knows from elsewhere.
struct KnownAccount: UserInfo {
  let providerID = "example.com"
  let uid: String
  let displayName: String? = nil
  let photoURL: URL? = nil
  let email: String? = nil
  let phoneNumber: String? = nil
}

final class Screen: AuthUIDelegate {}

let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-products-\(UUID().uuidString)")
let options = FirebaseOptions()
options.home = folder.path
FirebaseApp.configure(options: options)
let user = try await Auth.auth().signInAnonymously().user
let uid = user.uid
let rows: [any UserInfo] = [user, KnownAccount(uid: "ada")]
precondition(rows.map(\.uid) == [uid, "ada"] && rows[1].providerID == "example.com")
do {
  _ = try await PhoneAuthProvider.provider().verifyPhoneNumber("+15555550100", uiDelegate: Screen())
} catch { precondition((error as NSError).domain == AuthErrorDomain, "no delivery of texts is configured") }
try await Auth.auth().close()
try FileManager.default.removeItem(at: folder)
precondition(FirebaseApp.app() != nil && !uid.isEmpty)
print("GatehouseFirebase: an app has signed a guest in.")
