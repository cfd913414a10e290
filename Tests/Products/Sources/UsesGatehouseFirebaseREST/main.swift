import Foundation
import GatehouseFirebaseREST

let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-products-\(UUID().uuidString)")
let options = FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")
options.home = folder.path
options.apiKey = "key"
FirebaseApp.configure(options: options)
// Nothing listens there.
Auth.auth().useEmulator(withHost: "127.0.0.1", port: 1)
do {
  _ = try await Auth.auth().signInAnonymously(timeout: nil)
  preconditionFailure("a server that is not there has answered")
} catch AuthErrorCode.networkError {
  print("GatehouseFirebaseREST: an app has asked for its server.")
}
try await Auth.auth().close()
try? FileManager.default.removeItem(at: folder)
