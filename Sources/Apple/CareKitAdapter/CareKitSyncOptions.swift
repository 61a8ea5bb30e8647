#if canImport(CareKitStore)
    import CareKitStore
    import Foundation

    /// The decisions of an app about the synchronisation of CareKit's store.
    public struct CareKitSyncOptions: Sendable {
        /// Whether the store synchronises after each change and when the server has news.
        public var automaticallySynchronizes: Bool
        /// Chooses the version to keep among versions of one entity that do not follow each other; nil for the rule of the
        /// server. The closure may ask the user.
        public var choose: (@Sendable ([OCKEntity]) async throws -> OCKEntity)?
        /// The clock of the delays between requests for news.
        public var clock: any Clock<Duration>

        /// Creates options.
        public init(
            automaticallySynchronizes: Bool = true,
            choose: (@Sendable ([OCKEntity]) async throws -> OCKEntity)? = nil,
            clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.automaticallySynchronizes = automaticallySynchronizes
            self.choose = choose
            self.clock = clock
        }
    }
#endif
