import Logging
import ServiceLifecycle
import UnixSignals

extension ServiceGroup {
    /// Returns the services of a process as a group that ends on SIGTERM or SIGINT, whatever its clients do.
    ///
    /// Services are stopped one after the other, the last first. Put the monitoring first, then background services,
    /// and the listeners last. Each listener ends by itself within ``HTTPLimits/shutdown``; after `within`, all
    /// services that still run are cancelled. A service that ends by itself ends the others.
    ///
    /// The time that cancelled services may take has no second limit: that of ServiceLifecycle ends in a trap.
    ///
    /// - Parameter within: the time from the signal to cancellation. A process that has to end in 20 s needs a shorter
    ///   time.
    package static func bounded(
        _ services: [any Service], within: Duration = .seconds(18), logger: Logger
    ) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = within
        return ServiceGroup(configuration: configuration)
    }
}
