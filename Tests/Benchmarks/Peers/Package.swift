// swift-tools-version: 6.2
import PackageDescription

// Apart from the other benchmarks, so that they do not build a second cryptography library.
let package = Package(
  name: "peers",
  dependencies: [.package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1")],
  targets: [
    .executableTarget(name: "JWTKitPeer", dependencies: [.product(name: "JWTKit", package: "jwt-kit")])
  ],
  swiftLanguageModes: [.v6]
)
