import GatehouseCrypto

let key = try PrivateKey.generate(.ec(.p256))
let message = Array("the message".utf8)
let signature = try key.sign(message, with: .ecdsa(.p256))
let isValid = try key.publicKey.isValid(signature, for: message, with: .ecdsa(.p256))
let isValidForAnother = try key.publicKey.isValid(signature, for: [1], with: .ecdsa(.p256))
precondition(isValid && !isValidForAnother)
print("GatehouseCrypto: a signature of \(signature.count) bytes is valid for its message only.")
