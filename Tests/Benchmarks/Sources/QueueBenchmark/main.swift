import Foundation
import Gatehouse
import GatehouseLocal

let folder = NSTemporaryDirectory() + "gatehouse-bench-\(ProcessInfo.processInfo.processIdentifier)"
defer { try? FileManager.default.removeItem(atPath: folder) }

let auth = Auth(.init(backend: .local(directory: folder + "/provider")))
try await Ratios(auth: auth, user: auth.signInAnonymously().user).run()
print("")
StrictMode.turnOn()  // the processor time of every block is measured, and slow work stops the process
let isQuiet = try await Crowd(in: folder).run()
if !isQuiet { print("slow work was seen on the work queue") }
