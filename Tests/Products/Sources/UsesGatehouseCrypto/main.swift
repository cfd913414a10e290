import GatehouseCrypto

let key = try PrivateKey.generate(.ec(.p256))
let message = Array("the message".utf8)
let signature = try key.sign(message, with: .es256)
precondition(try key.publicKey.isValid(signature, for: message, with: .es256))
precondition(try !key.publicKey.isValid(signature, for: [1], with: .es256))
print("GatehouseCrypto: a signature of \(signature.count) bytes is valid for its message only.")
