// The languages of a form are those of its sessions: users import one module.
@_exported import FormLanguages
