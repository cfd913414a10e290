import GatehouseBase

let secret = Secret("correct horse")
precondition("\(secret)" == "•••")
print("GatehouseBase: a secret prints \(secret).")
