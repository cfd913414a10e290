import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 4, let seconds = Double(arguments[3]) else { exit(2) }
do {
  let peer = try await Peer(arguments[1], arguments[2])
  _ = try await peer.verify(for: seconds / 4)
  let (count, time) = try await peer.verify(for: seconds)
  print(count, time, "5.7.1 (swift-crypto's BoringSSL)")
} catch {
  FileHandle.standardError.write(Data("jwt-kit: \(error)\n".utf8))
  exit(1)
}
