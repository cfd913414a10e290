import Gatehouse
import GatehouseTesting

let auth = Auth(Auth.Configuration(backend: ScriptedBackend()))
let user = try await auth.signInAnonymously().user
precondition(user.isAnonymous)
try await auth.close()
print("GatehouseTesting: a scripted backend signed a user in.")
