import GatehouseBase
import ServiceLifecycle

/// Checks for a new certificate while the server runs.
struct CertificateWatch: Service {
  let certificate: ServerCertificate

  func run() async throws {
    await cancelWhenGracefulShutdown { await certificate.watch(SystemClocks()) }
  }
}
