"""Wall screens, in the browser and in the terminal. Imports only `server.protocol` of the hub."""
