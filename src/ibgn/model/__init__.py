"""Activities as sets of terms: scoring, explaining, generating."""
