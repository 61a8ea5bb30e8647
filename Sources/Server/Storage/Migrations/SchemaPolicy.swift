/// Policy for the schema of a database that is opened.
public enum SchemaPolicy: Sendable, Hashable {
    /// A missing file is created, and the schema migrated to the newest step; for tests, and for stores that
    /// ``StoreMigration`` has just checked.
    case migrate
    /// The file must exist with exactly the schema of this version.
    case exact
}
