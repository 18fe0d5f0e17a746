package main

import "errors"

func (a *app) installDaemon() error   { return errors.New("not yet") }
func (a *app) uninstallDaemon() error { return errors.New("not yet") }
