import GatehouseBase
import ServiceLifecycle

/// Looks for a new certificate while the server serves.
struct CertificateWatch: Service {
  let certificate: ServerCertificate

  func run() async throws {
    await cancelWhenGracefulShutdown { await certificate.watch(SystemClocks()) }
  }
}
