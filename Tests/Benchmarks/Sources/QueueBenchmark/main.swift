import Foundation
import Gatehouse
import GatehouseLocal

let folder = NSTemporaryDirectory() + "gatehouse-bench-\(ProcessInfo.processInfo.processIdentifier)"
defer { try? FileManager.default.removeItem(atPath: folder) }

let isQuiet = try await Crowd(in: folder).run()
print("")
let auth = Auth(.init(backend: .local(directory: folder + "/provider")))
try await Ratios(auth: auth, user: auth.signInAnonymously().user).run()
if !isQuiet { print("slow work was seen on the work queue") }
