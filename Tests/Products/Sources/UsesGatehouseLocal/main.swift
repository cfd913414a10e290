import Foundation
import GatehouseLocal

let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-products-\(UUID().uuidString)")
let provider = LocalBackend(directory: folder.path)
let keys: JWKSet
do { keys = try await provider.keySet() } catch { fatalError("\(error)") }
try await provider.close()
try FileManager.default.removeItem(at: folder)
precondition(!keys.keys.isEmpty)
print("GatehouseLocal: a new provider has \(keys.keys.count) key.")
