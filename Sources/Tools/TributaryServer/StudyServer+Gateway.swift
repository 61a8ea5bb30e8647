import Audit
import Consumer
import Core
import DeviceGateway
import Enrolments
import Foundation
import Logging
import ServerHTTP
import ServiceLifecycle
import Storage
import StudyFiles
import StudyOperations

extension StudyServer {
    /// Returns the worker for the events of third-party devices, if this process has the role.
    func gateway(_ opened: OpenStores) -> GatewayWorker? {
        guard options.roles.contains(.gateway), let records = opened.records else { return nil }
        let access = EnrolmentStore(database: records, clock: clock)
        let folder = folder
        let templates = PublishedFiles([folder.deviceContentURL, folder.fhirMappingURL]) {
            (former: GatewayTemplates??) -> GatewayTemplates? in
            // If the files cannot be read, the earlier templates are used.
            (try? folder.gatewayTemplates()) ?? former ?? nil
        }
        return GatewayWorker(
            recorder: GatewayRecorder(
                database: records, audit: access.audit,
                admission: StudyProcessing.admission(folder: folder, study: study, records: records, clock: clock),
                templates: { await templates.value() }, clock: clock))
    }

    /// Returns the routes to which third-party devices and clouds post.
    func gatewayRoutes(
        _ worker: GatewayWorker, records: any SQLDatabase, limiter: RateLimiter, bodies: BodyBudget,
        refusals: RefusalCounter?
    ) -> GatewayRoutes {
        let secret = HubSecretFile(folder)
        return GatewayRoutes(
            database: records, limiter: limiter, bodies: bodies, secret: { secret.value() },
            arrivalSignal: worker.arrivalSignal,
            refusals: { await refusals?.count($0) }, clock: clock)
    }
}

/// Processes the events of third-party devices, while a study is served.
struct DeviceEvents: Service {
    let worker: GatewayWorker
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await worker.work { code in
                logger.error("device events wait", metadata: ["code": "\(code)"])
            }
        }
    }
}
