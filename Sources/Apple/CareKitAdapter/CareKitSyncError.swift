#if canImport(CareKitStore)
    import CarePlans
    import Core
    import Foundation

    /// The reason why a sync of CareKit's store cannot be done.
    public struct CareKitSyncError: CodedError, LocalizedError, Hashable {
        /// The kind of fault; the raw value is the stable code.
        public enum Reason: String, Sendable, Hashable, CaseIterable {
            /// No store is connected.
            case storeMissing = "store-missing"
            /// More syncs wait than ``CareKitSynchronizer/maximumWaitingSyncs``.
            case syncInProgress = "sync-in-progress"
            /// A version is not one that this CareKit can read or write.
            case entityUnreadable = "entity-unreadable"
            /// The server's answer has more pages than ``CareKitSynchronizer/maximumPages``.
            case answerTooLong = "answer-too-long"
        }

        /// The kind of fault.
        public let reason: Reason
        /// The identity of the version; nil if no version is at fault.
        public let version: UUID?
        /// The kind of the entity whose version is at fault; nil if no version is at fault.
        public let kind: CareEntityKind?
        /// The id that all versions of this entity share; nil if no version is at fault.
        public let id: String?

        init(_ reason: Reason) {
            self.reason = reason
            (version, kind, id) = (nil, nil, nil)
        }

        /// Creates the error of a version that this CareKit cannot read.
        init(unreadable version: CareEntity) {
            reason = .entityUnreadable
            (self.version, kind, id) = (version.uuid, version.kind, version.id)
        }

        public var code: String { reason.rawValue }

        public var message: String {
            let sentence =
                switch reason {
                case .storeMissing: "No store is connected. Call connect(to:) with the store"
                case .syncInProgress: "Other syncs are in progress and include these changes"
                case .entityUnreadable: "This version of CareKit cannot read or write the version"
                case .answerTooLong: "The answer of the server has too many pages"
                }
            let names = [kind?.rawValue, id, version?.uuidString].compactMap { $0 }.joined(separator: " ")
            return sentence + (names.isEmpty ? "" : " (\(names))") + "."
        }

        public var errorDescription: String? { message }
    }
#endif
