import BulkExport
import Core
import Logging
import ServiceLifecycle

/// Processes the exports that clients request, while a study is served. Interrupted exports continue after the next
/// start.
struct BulkExports: Service {
    let exports: Exports
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await exports.work { code in
                logger.error("exports wait", metadata: ["code": "\(code)"])
            }
        }
    }
}
