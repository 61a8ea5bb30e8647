import Logging
import ServiceLifecycle
import UnixSignals

extension ServiceGroup {
    /// The services of a process that ends on SIGTERM or SIGINT, whatever its clients do.
    ///
    /// Services are told to stop one after the other, the last first: put the monitoring first, then what works in the
    /// background, and the listeners last. Each listener ends by itself within ``HTTPLimits/shutdown``; after `within` all
    /// that still runs is cancelled. A service that ends by itself ends the others.
    ///
    /// No second limit is set on how long cancelled services may take: that of ServiceLifecycle ends in a trap.
    ///
    /// - Parameter within: the time from the signal to cancellation; a process that is to end in 20 s takes less.
    public static func bounded(
        _ services: [any Service], within: Duration = .seconds(18), logger: Logger
    ) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = within
        return ServiceGroup(configuration: configuration)
    }
}
