import Core
import Logging
import Records
import ServiceLifecycle

/// Works on the exports that clients ask for, while a study is served. What is cut off is taken up at the next start.
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
