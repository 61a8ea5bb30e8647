/// The policy for the schema of a database that is opened.
public enum SchemaPolicy: Sendable, Hashable {
    /// A missing file is made, and the schema brought to the newest step; for tests, and for stores that were just
    /// checked by ``StoreMigration``.
    case migrate
    /// The file must be there with exactly the schema that this version knows.
    case exact
}
