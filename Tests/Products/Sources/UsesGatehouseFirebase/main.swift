import Foundation
import GatehouseFirebase

let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-products-\(UUID().uuidString)")
let options = FirebaseOptions()
options.home = folder.path
FirebaseApp.configure(options: options)
let uid = try await Auth.auth().signInAnonymously().user.uid
try await Auth.auth().close()
try FileManager.default.removeItem(at: folder)
precondition(FirebaseApp.app() != nil && !uid.isEmpty)
print("GatehouseFirebase: an app has signed a guest in.")
